"""The loops over the bytes of a large CSV file, 64 at a time where that can be; to be compiled (see `compiled`)."""

from __future__ import annotations

from datasources.words import Codes, Words, above_ascii, byte, count, equal, lowest, word

NEW_LINE, RETURN, QUOTE = 10, 13, 34
TRAILING_MAX = 64
BLOCK_ROWS = 512
"""The text of so many rows is still in the processor's caches when its cells are read."""
EDGES_MARGIN = 74
"""So many cells at most are found past those of a block."""
TABLE_SIZE = 8_192
VALUES_MAX = 4_096
"""A column of more distinct cells is none of few values."""
VALUE_WORDS = 4
"""What is kept of a distinct cell: where it starts, its size, its first word and, from the ninth byte on, its last."""
FACTOR, OTHER_FACTOR = 0x2545F4914F6CDD1D, 0x369DEA0F31A53F85
IRREGULAR, QUOTED, FULL = -1, -2, -3
"""Why a kernel gave up."""
CODES, VIEWS = 1, 2
"""What becomes of a column; 0 for nothing."""


# ---- what the file is ----


def valid_utf8(text: int, size: int) -> int:
    """Whether the *size* bytes at *text*, behind which 64 others may be read, are UTF-8 without NUL."""
    resume = 0
    for at in range(0, size, 64):
        known = _first_bits(size - at)
        if equal(text + at, 0) & known:
            return 0
        high = above_ascii(text + at) & known
        if high:
            resume = _after_characters(text, at, high, resume)
            if resume < 0:
                return 0
    return 1 if resume <= size else 0


def _after_characters(text: int, at: int, high: int, resume: int) -> int:
    """Where the last character ends of those that begin at bits of *high*; -1 where one is no UTF-8."""
    while high:
        start = at + lowest(high)
        if start < resume:
            high &= high - 1
            continue
        first, second = byte(text + start), byte(text + start + 1)
        if first < 0xC2 or first > 0xF4 or second & 0xC0 != 0x80:
            return -1
        size = 2
        if first >= 0xE0:
            if byte(text + start + 2) & 0xC0 != 0x80:
                return -1
            size = 3
            if (first == 0xE0 and second < 0xA0) or (first == 0xED and second > 0x9F):
                return -1
            if first >= 0xF0:
                if byte(text + start + 3) & 0xC0 != 0x80:
                    return -1
                size = 4
                if (first == 0xF0 and second < 0x90) or (first == 0xF4 and second > 0x8F):
                    return -1
        resume = start + size
        high &= high - 1
    return resume


def measure(
    text: int, size: int, width: int, delimiter: int, bare: int, rows_before: int, marks: Words,
    unsure: Words, unsure_max: int, found: Words,
) -> int:  # fmt: skip
    """
    The rows of a text as `csv_scan.measure` has them, or why there are none; *bare* allows no quotes.

    *marks* takes where every 256th row starts, *unsure* number, start and stop of the rows that may be thin;
    *found* how many marks and unsure rows there are, and where the last row ends.
    """
    rows = start = delimiters = marked = thin = inside = after_closing = after_return = 0
    after_gap = 1
    for at in range(0, size, 64):
        known = _first_bits(size - at)
        ends = equal(text + at, NEW_LINE) & known
        between = equal(text + at, delimiter) & known
        returns = equal(text + at, RETURN) & known
        quotes = equal(text + at, QUOTE) & known
        opening = closing = 0
        if quotes or inside:
            if bare:
                return QUOTED
            within = _inside(quotes, inside)
            # The last bit tells whether quotes are open.
            inside = within >> 63
            opening, closing = quotes & within, quotes & ~within
            ends, between, returns = ends & ~within, between & ~within, returns & ~within
        # A quote stands at the edge of a cell, or is one of two; a return stands before a line end. What is cut off
        # at the end of the text may fail here, which is no loss: the plain path finds that out.
        gaps = ends | between | closing
        alone = opening & ~(gaps << 1 | after_gap)
        alone |= (closing << 1 | after_closing) & ~(ends | between | returns | opening)
        alone |= (returns << 1 | after_return) & ~ends
        if alone & known:
            return IRREGULAR
        after_gap, after_closing, after_return = gaps >> 63 & 1, closing >> 63 & 1, returns >> 63 & 1
        while ends:
            stop = at + lowest(ends)
            if delimiters + count(between & ((ends & -ends) - 1)) != (rows + 1) * (width - 1):
                return IRREGULAR
            if (rows_before + rows) & 255 == 0:
                marks[marked] = start
                marked += 1
            if not _has_two_filled(text, start, stop, width, delimiter):
                if thin == unsure_max:
                    return FULL
                unsure[3 * thin], unsure[3 * thin + 1], unsure[3 * thin + 2] = rows, start, stop + 1
                thin += 1
            rows += 1
            start = stop + 1
            ends &= ends - 1
        delimiters += count(between)
    found[0], found[1], found[2] = marked, thin, start
    return rows


def _has_two_filled(text: int, start: int, stop: int, width: int, delimiter: int) -> bool:
    """Whether the first cell and another one are surely filled."""
    first = byte(text + start)
    if not (_fills(byte(text + start + 1), QUOTE) if first == QUOTE else _fills(first, delimiter)):
        return False
    last = stop - 1
    if last > start and byte(text + last) == RETURN:
        last -= 1
    # From the end backwards over empty cells to one that is filled, but never the first cell.
    for _ in range(min(width - 1, TRAILING_MAX)):
        end, before = byte(text + last), byte(text + last - 1)
        if end == delimiter:
            last -= 1
        elif end == QUOTE and before == QUOTE and byte(text + last - 2) == delimiter:
            last -= 3
        elif end == QUOTE:
            return before < 0x80 and _fills(before, QUOTE)
        else:
            return _fills(end, delimiter) if end < 0x80 else 0xC3 <= before < 0xE0
    return False


def _fills(first: int, other: int) -> bool:
    """Whether a cell that begins with this byte, if it is no *other*, holds more than white space."""
    if first < 0x80:
        return 0x21 <= first < 0x7F and first != other
    # All white space above ASCII starts with one of C2, E1, E2, E3, EF.
    return 0xC3 <= first < 0xE1 or 0xE4 <= first < 0xEF or 0xF0 <= first < 0xF5


# ---- its cells ----


def read_cells(
    text: int, size: int, delimiter: int, rows: int, width: int, kinds: Codes, empty: Codes, codes: Codes,
    code_step: int, views: Words, view_step: int, tables: Codes, values: Words, counts: Codes,
    edges: Codes,
) -> int:  # fmt: skip
    """
    The cells of *rows* regular rows, column by column in order, or why there are none.

    A column of few values gives a code a row (-1 for an empty cell), and *values* takes start and size of each;
    another one gives Arrow's views of the text; those of the next column stand a step further on. *tables* begin
    with -1 in each place, *edges* is room for a block. *counts* says how many values there are, *empty* how many
    cells hold nothing.
    """
    waiting = inside = at = row = lines = resume = 0
    edges[0] = -1
    while row < rows:
        block = min(BLOCK_ROWS, rows - row)
        wanted = block * width
        while waiting < wanted and at < size:
            known = _first_bits(size - at)
            ends = equal(text + at, NEW_LINE) & known
            both = ends | (equal(text + at, delimiter) & known)
            high = above_ascii(text + at) & known
            if high:
                resume = _after_characters(text, at, high, resume)
                if resume < 0:
                    return IRREGULAR
            quotes = equal(text + at, QUOTE) & known
            if quotes or inside:
                within = _inside(quotes, inside)
                inside = within >> 63
                ends, both = ends & ~within, both & ~within
            lines += count(ends)
            found = count(both)
            for index in range(8):
                # A few too many cost less than to guess how many there are.
                edges[waiting + 1 + index] = at + lowest(both)
                both &= both - 1
            for index in range(8, found):
                edges[waiting + 1 + index] = at + lowest(both)
                both &= both - 1
            waiting += found
            at += 64
        if waiting == wanted - 1 and row + block == rows and at >= size:
            # The last row of a file may have no line end.
            waiting += 1
            lines += 1
            edges[waiting] = size
        if waiting < wanted:
            return IRREGULAR
        for index in range(width, wanted + 1, width):
            if edges[index] < size and byte(text + edges[index]) != NEW_LINE:
                return IRREGULAR
        coded = viewed = 0
        for column in range(width):
            last = column == width - 1
            if kinds[column] == CODES:
                base = coded * code_step + row
                known = _block_codes(
                    text, edges, column, width, block, last, base, codes, coded, tables, values,
                    counts[coded], empty,
                )  # fmt: skip
                if known < 0:
                    return known
                counts[coded] = known
                coded += 1
            elif kinds[column] == VIEWS:
                if not _block_views(
                    text, edges, column, width, block, last, viewed * view_step + 2 * row, views, empty
                ):
                    return QUOTED
                viewed += 1
        waiting -= wanted
        for index in range(waiting + 1):
            edges[index] = edges[index + wanted]
        row += block
    return rows if not waiting and lines == rows and at >= size >= resume else IRREGULAR


def _block_codes(
    text: int, edges: Codes, column: int, width: int, block: int, last: bool, base: int, codes: Codes,
    coded: int, tables: Codes, values: Words, known: int, empty: Codes,
) -> int:  # fmt: skip
    """Give each cell of a block a code; gives how many values are known now."""
    table, first_value = coded * TABLE_SIZE, coded * VALUES_MAX * VALUE_WORDS
    for index in range(block):
        start = edges[index * width + column] + 1
        stop = edges[index * width + column + 1]
        if last and stop > start and byte(text + stop - 1) == RETURN:
            stop -= 1
        if stop == start:
            codes[base + index] = -1
            empty[column] += 1
            continue
        if byte(text + start) == QUOTE:
            start += 1
            stop -= 1
            if _holds_quote(text, start, stop):
                return QUOTED
        cell, size = text + start, stop - start
        head = word(cell) & _first_bytes(size)
        tail = word(cell + size - 8) if size > 8 else 0
        place = _hash(cell, size, head, tail) & (TABLE_SIZE - 1)
        while True:
            code = tables[table + place]
            if code < 0:
                if known == VALUES_MAX:
                    return FULL
                code = known
                at = first_value + VALUE_WORDS * code
                tables[table + place] = code
                values[at], values[at + 1], values[at + 2], values[at + 3] = start, size, head, tail
                known += 1
                break
            at = first_value + VALUE_WORDS * code
            is_like = values[at + 1] == size and values[at + 2] == head and values[at + 3] == tail
            if is_like and (size <= 16 or _same(text + values[at], cell, size)):
                break
            place = (place + 1) & (TABLE_SIZE - 1)
        codes[base + index] = code
    return known


def _block_views(
    text: int, edges: Codes, column: int, width: int, block: int, last: bool, base: int, views: Words,
    empty: Codes,
) -> bool:  # fmt: skip
    """Give each cell of a block a view; False where quotes are doubled in one."""
    for index in range(block):
        start = edges[index * width + column] + 1
        stop = edges[index * width + column + 1]
        if last and stop > start and byte(text + stop - 1) == RETURN:
            stop -= 1
        if stop > start and byte(text + start) == QUOTE:
            start += 1
            stop -= 1
            if _holds_quote(text, start, stop):
                return False
        size, to = stop - start, base + 2 * index
        empty[column] += size == 0
        head = word(text + start)
        if size <= 12:
            views[to] = size | (head & _first_bytes(size)) << 32
            views[to + 1] = word(text + start + 4) & _first_bytes(size - 4)
        else:
            views[to] = size | head << 32
            views[to + 1] = start << 32
    return True


def _hash(cell: int, size: int, head: int, tail: int) -> int:
    """A number for the text of *size* bytes at *cell*, of whose first and last words *head* and *tail* are made."""
    mixed = (head ^ size) * FACTOR ^ tail * OTHER_FACTOR
    for at in range(8, size - 8, 8):
        mixed = ((mixed >> 29) ^ mixed ^ word(cell + at)) * FACTOR
    # Only the high bits of a product depend on all of its factors.
    return (mixed >> 32) ^ (mixed >> 47)


def _same(one: int, other: int, size: int) -> bool:
    """Whether two texts whose first and last words are alike are so in between."""
    differences = 0
    for at in range(8, size - 8, 8):
        differences |= word(one + at) ^ word(other + at)
    return differences == 0


def _holds_quote(text: int, start: int, stop: int) -> bool:
    found = 0
    for at in range(start, stop, 64):
        found |= equal(text + at, QUOTE) & _first_bits(stop - at)
    return found != 0


def _inside(quotes: int, inside: int) -> int:
    """The bytes after an odd number of quotes, as all bits of *inside* say of the byte before."""
    for distance in (1, 2, 4, 8, 16, 32):
        quotes ^= quotes << distance
    return quotes ^ inside


def _first_bits(bits: int) -> int:
    """The lowest *bits* of a word, which are all where there are more."""
    return -1 if bits >= 64 else (1 << bits) - 1


def _first_bytes(size: int) -> int:
    """The mask of the first *size* bytes of a word."""
    if size <= 0:
        return 0
    return -1 if size >= 8 else (1 << 8 * size) - 1
