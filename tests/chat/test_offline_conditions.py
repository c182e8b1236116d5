"""What is said of the rows of other reports: a school, a hotel, freight, tickets and rents; a condition, or a doubt."""

from __future__ import annotations

import json

import pytest

from chat.offline.reading import Reading
from engine import materialize
from tests.chat.offline_reading import both, understood
from tests.chat.test_offline_questions import counted, equal, given, summed
from tests.engine.small import raw_band

CLASSES = materialize(
    [
        raw_band(
            {
                "classe": ["A", "B", "E", "A"] * 6,
                "uf": ["SE", "PR", "PA", "NO"] * 6,
                "mes": ["1", "2", "3", "4"] * 6,
                "ativo": ["true", "false"] * 12,
                "cliente": [f"Cliente {number % 7}" for number in range(24)],
                "valor": [str(10 + number) for number in range(24)],
            },
            "vendas",
        )
    ]
).profile


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("qual a média e o total?", None),
        ("qual a maior venda?", summed("valor", "vendas", verb="MAX")),
        ("total de vendas da classe A", summed("valor", "vendas", equal("classe", "A"))),
        ("total de vendas no PR", summed("valor", "vendas", equal("uf", "PR"))),
        ("os 3 maiores clientes", summed("valor", "vendas") | {"by": ["cliente"], "top": 3}),
        ("total de vendas do mes 3", summed("valor", "vendas", equal("mes", "3"))),
        ("total de vendas do 3", None),
        ("quantos ativos?", counted("vendas", equal("ativo", "true"))),
    ],
)
def test_little_words_and_numbers_are_values_only_where_they_are_said_to_be(question, arguments):
    reading = understood(question, CLASSES)
    if arguments is None:
        assert not isinstance(reading, Reading)
    else:
        assert isinstance(reading, Reading), reading
        assert json.loads(reading.arguments) == arguments


SCHOOL = materialize(
    [
        raw_band(
            {
                "aluno": [f"Pessoa {number:02}" for number in range(24)],
                "turno": ["Manhã", "Tarde", "Integral"] * 8,
                "situacao": ["ativa", "ativa", "ativa", "cancelada"] * 6,
                "mensalidade": [f"{780 + 31 * number},50" for number in range(24)],
                "desconto": [f"{number % 5 * 20},25" for number in range(24)],
                "cidade": ["Sul", "Campos", "Vale"] * 8,
                "bolsista": ["Sim", "Não", "Não"] * 8,
            },
            "matriculas",
            style="br",
            locale="pt-BR",
        )
    ]
).profile
HOTEL = materialize(
    [
        raw_band(
            {
                "reserva": [f"R{number:03}" for number in range(30)],
                "tipo_quarto": ["luxo", "simples"] * 15,
                "canal": ["Booking", "Telefone", "Site"] * 10,
                "checkin": [f"2026-0{1 + number % 3}-{1 + number % 28:02}" for number in range(30)],
                "noites": [str(1 + number % 7) for number in range(30)],
                "valor_total": [f"R$ {300 + 17 * number},00" for number in range(30)],
                "situacao": ["confirmada", "confirmada", "cancelada"] * 10,
            },
            "reservas",
            style="br",
            locale="pt-BR",
        ),
        raw_band({"quarto": ["Q1", "Q2", "Q3"], "tipo": ["luxo", "simples", "luxo"]}, "quartos"),
    ]
).profile
FREIGHT = materialize(
    [
        raw_band(
            {
                "emissao": [f"2026-0{1 + number % 3}-{1 + number % 28:02}" for number in range(40)],
                "motorista": ["Zé Neto", "Nair Lopes"] * 20,
                "placa": ["ABC1D23", "QWE4R56", "HJK7L89", "QWE4R56"] * 10,
                "uf_origem": ["SP", "MG", "RJ", "SC", "SP"] * 8,
                "uf_destino": ["MG", "SP", "SC", "RJ", "RJ"] * 8,
                "valor_frete": [f"R$ {450 + 13 * number},10" for number in range(40)],
                "distancia_km": [str(80 + 9 * number) for number in range(40)],
            },
            "fretes",
            style="br",
            locale="pt-BR",
        )
    ]
).profile
TICKETS = materialize(
    [
        raw_band(
            {
                "ticket_id": [f"T{number:03}" for number in range(30)],
                "opened": [f"2026-0{1 + number % 3}-{1 + number % 28:02}" for number in range(30)],
                "team": ["Billing", "Network", "Hardware"] * 10,
                "priority": ["low", "medium", "high"] * 10,
                "satisfaction": [str(1 + number * 7 % 5) for number in range(30)],
                "reopened": ["yes", "no", "no", "no", "no"] * 6,
            },
            "tickets",
        )
    ]
).profile

RENTS = materialize(
    [
        raw_band(
            {
                "contrato": [f"C{number:03}" for number in range(20)],
                "aluguel": [f"R$ {900 + 50 * number},00" for number in range(20)],
                "pago": ["S", "S", "N", "S"] * 5,
            },
            "alugueis",
            style="br",
            locale="pt-BR",
        )
    ]
).profile

MANHA, BOLSISTA = equal("turno", "Manhã"), equal("bolsista", "Sim")
SP_MG = both(equal("uf_origem", "SP"), equal("uf_destino", "MG"))


@pytest.mark.parametrize(
    ("profile", "question", "arguments"),
    [
        # a field of yes and no is no list of things: who is one of them is counted
        (
            SCHOOL,
            "quantos bolsistas são do Vale?",
            counted("matriculas", both(BOLSISTA, equal("cidade", "Vale"))),
        ),
        (SCHOOL, "quantos alunos bolsistas?", summed("aluno", "matriculas", BOLSISTA, "DISTINCT")),
        (SCHOOL, "mensalidade total dos alunos bolsistas", summed("mensalidade", "matriculas", BOLSISTA)),
        (TICKETS, "how many reopened tickets?", counted("tickets", equal("reopened", "yes"))),
        (
            TICKETS,
            "number of tickets reopened by team",
            given(by=["team"], verb="COUNT", band="tickets", filter=equal("reopened", "yes")),
        ),
        (RENTS, "quantos contratos pagos?", summed("contrato", "alugueis", equal("pago", "S"), "DISTINCT")),
        (RENTS, "quantos contratos a pagar?", None),
        (RENTS, "quantos contratos não pagos?", None),
        (RENTS, "quantos contratos foram pagos em dia?", None),
        (
            RENTS,
            "qual o percentual de contratos pagos?",
            summed(None, "alugueis", equal("pago", "S"), "SHARE"),
        ),
        # what each row has one of its own of is what the rows are
        (
            SCHOOL,
            "quanto dá a soma das mensalidades dos alunos ativos?",
            summed("mensalidade", "matriculas", equal("situacao", "ativa")),
        ),
        (
            SCHOOL,
            "qual cidade tem mais alunos?",
            given(by=["cidade"], verb="COUNT", band="matriculas", top=1),
        ),
        (
            SCHOOL,
            "quantos alunos têm mensalidade acima de R$ 1.000,00?",
            counted("matriculas", {"field": "mensalidade", "op": ">", "value": 1000}),
        ),
        (SCHOOL, "mensalidade média por aluno", summed("mensalidade", "matriculas", verb="AVG")),
        (HOTEL, "qual a média de noites por reserva?", summed("noites", "reservas", verb="AVG")),
        (HOTEL, "average number of nights", summed("noites", "reservas", verb="AVG")),
        # the name of the rows is meant rather than a value in another form
        (HOTEL, "how many bookings were cancelled?", counted("reservas", equal("situacao", "cancelada"))),
        (HOTEL, "quantas reservas vieram pelo Booking?", counted("reservas", equal("canal", "Booking"))),
        # how many in total is how many
        (SCHOOL, "quantos alunos no total?", summed("aluno", "matriculas", verb="DISTINCT")),
        (HOTEL, "how many bookings in total?", counted("reservas")),
        (HOTEL, "quantas noites ao todo?", summed("noites", "reservas")),
        # a period is of the band that has days
        (
            HOTEL,
            "compare o valor de janeiro com o de fevereiro",
            given(
                verb="SUM",
                field="valor_total",
                band="reservas",
                a=equal("checkin", "2026-01"),
                b=equal("checkin", "2026-02"),
            ),
        ),
        # where from and where to
        (FREIGHT, "qual o valor dos fretes de SP para MG?", summed("valor_frete", "fretes", SP_MG)),
        (FREIGHT, "how many shipments from SP to MG?", counted("fretes", SP_MG)),
        (
            FREIGHT,
            "frete médio saindo de SP",
            summed("valor_frete", "fretes", equal("uf_origem", "SP"), "AVG"),
        ),
        (FREIGHT, "quantos fretes para o RJ?", counted("fretes", equal("uf_destino", "RJ"))),
        (FREIGHT, "quantos fretes do RJ?", None),  # from there, or for it?
        (
            FREIGHT,
            "total distance for truck QWE4R56",
            summed("distancia_km", "fretes", equal("placa", "QWE4R56")),
        ),
        # who studies, lives or works somewhere
        (SCHOOL, "quantos alunos estudam de manhã?", summed("aluno", "matriculas", MANHA, "DISTINCT")),
        (
            SCHOOL,
            "how many students live in Vale?",
            summed("aluno", "matriculas", equal("cidade", "Vale"), "DISTINCT"),
        ),
        # what rows have is a condition
        (SCHOOL, "total de alunos com desconto", None),
        (SCHOOL, "students with a discount", None),
        (TICKETS, "tickets with high satisfaction", None),
        (FREIGHT, "quanto gastamos com frete?", summed("valor_frete", "fretes")),
        (FREIGHT, "valor total com distância", None),
        # the kinds of a thing are not the things
        (HOTEL, "quantos quartos foram reservados?", None),
        (HOTEL, "quantas reservas por quarto?", None),
        (
            HOTEL,
            "quantas reservas por tipo de quarto?",
            given(by=["tipo_quarto"], verb="COUNT", band="reservas"),
        ),
        # the dearest is what one costs
        (FREIGHT, "qual o destino mais caro?", None),
        (FREIGHT, "qual o frete mais caro?", summed("valor_frete", "fretes", verb="MAX")),
        # a superlative after its measure is one before it
        (SCHOOL, "qual a cidade com mensalidade mais alta?", None),
    ],
)
def test_what_is_said_of_rows_is_a_condition_or_a_doubt(profile, question, arguments):
    reading = understood(question, profile)
    if arguments is None:
        assert not isinstance(reading, Reading), reading
    else:
        assert isinstance(reading, Reading), reading
        assert json.loads(reading.arguments) == arguments
