"""The facts of the real files, each with the function that finds it in what Lastro read."""

from tests.real_facts.abroad import ABROAD
from tests.real_facts.access import Fact, Folder, Table, tables_of
from tests.real_facts.brazil import BRAZIL
from tests.real_facts.exceptions import DIFFERENT, LATER, Different
from tests.real_facts.hard import HARD
from tests.real_facts.markets import MARKETS
from tests.real_facts.registers import REGISTERS

FACTS = (*BRAZIL, *MARKETS, *REGISTERS, *ABROAD, *HARD)

__all__ = ["DIFFERENT", "FACTS", "LATER", "Different", "Fact", "Folder", "Table", "tables_of"]
