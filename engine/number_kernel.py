"""
The loop that reads short numbers written alike, to be compiled: cell by cell what `number_words` does in columns.

The steps are the same, and so are the bytes that each of them compares: see there.
"""

from __future__ import annotations

from datasources.words import Flags, Words, byte, down, lowest, up, word

INLINE_MAX, WORDS_MAX = 12, 16
EACH = 0x0101010101010101
LOW = 0x7F * EACH
HIGH = 0x80 * EACH - (1 << 64)
ZEROS = 0x30 * EACH
DIGIT_LIMITS = 0x76 * EACH
GROUP_LIMITS = 0x7676767F7676767F
PAIRS = 0x000000FF000000FF
BOTH = 0x0000000100000001
OPEN, CLOSE, MINUS, PERCENT, SPACE, ZERO, ONE = 40, 41, 45, 37, 32, 48, 49
CELLS, WITH_UNIT, PLAIN, PLAIN_LONG, LENGTHS, SIGNED, PLAIN_WITH_UNIT, AMBIGUOUS, DECIMALS = range(9)
"""Where the counts stand; at DECIMALS those of one decimal, two, …"""


def read_numbers(
    views: Words, buffers: Words, valid: int, offset: int, rows: int, scale: int, mark: int, group_mark: int,
    unit: int, unit_size: int, digits_max: int, values: Words, regular: Flags, found: Words,
) -> int:  # fmt: skip
    """
    Read *rows* of Arrow's *views* from *offset* on; *valid* is the address of their bits, or 0.

    *group_mark* is 0 where there are no groups, *unit* a currency, or the percent sign with the size 0.
    """
    cells = with_units = 0
    power = limit = 1
    for _ in range(scale):
        power *= 10
    for _ in range(digits_max):
        limit *= 10
    each_mark, unit_mask = mark * EACH, up(1, 8 * unit_size) - 1
    pattern = (0x30303000 | group_mark) * BOTH
    for row in range(rows):
        values[row], regular[row] = 0, 0
        at = offset + row
        low, high = views[2 * at], views[2 * at + 1]
        size = low & 0xFFFFFFFF
        if size < 1 or size > WORDS_MAX:
            continue
        if valid and not byte(valid + (at >> 3)) >> (at & 7) & 1:
            continue
        if size <= INLINE_MAX:
            first, second = down(low, 32) | up(high, 32), down(high, 32)
            bits = 8 * (WORDS_MAX - size)
            before = up(first, bits)
            last = up(second, bits) | (down(first, 64 - bits) if bits < 64 else up(first, bits - 64))
        else:
            # A longer text stands in one of the buffers.
            start = buffers[high & 0xFFFFFFFF] + down(high, 32)
            first, last = word(start), word(start + size - 8)
            before = up(first, 8 * (WORDS_MAX - size))
        bad = 0

        # The sign, or the parentheses.
        negative = False
        if first & 0xFF == OPEN:
            if down(last, 56) != CLOSE:
                continue
            negative = True
            first, size = down(first, 8), size - 2
            last, before = up(last, 8) | down(before, 56), up(before, 8)
        elif first & 0xFF == MINUS:
            negative = True
            first, size = down(first, 8), size - 1

        # The unit: percent must be there, a currency may.
        with_unit = False
        if unit == PERCENT and unit_size == 0:
            if down(last, 56) != PERCENT:
                continue
            with_unit = True
            size -= 1
            last, before = up(last, 8) | down(before, 56), up(before, 8)
        elif unit_size and first & unit_mask == unit:
            with_unit = True
            first, size = down(first, 8 * unit_size), size - unit_size
            if first & 0xFF == SPACE:
                first, size = down(first, 8), size - 1

        # The decimals.
        decimals, behind = 0, 0
        if scale:
            behind = scale + 1
            if down(last, 56 - 8 * scale) & 0xFF != mark:
                compared = last ^ each_mark
                marks = ~(((compared & LOW) + LOW) | compared | LOW) & up(-1, 56 - 8 * scale)
                behind = 8 - (lowest(marks) >> 3)
            if behind == 1:
                continue
            if behind:
                digits = (last ^ ZEROS) & up(-1, 72 - 8 * behind)
                bad |= digits | (digits + DIGIT_LIMITS)
                decimals = _number(down(digits, 8 * (scale + 1 - behind)))
                last = up(last, 8 * behind) | down(before, 64 - 8 * behind)
                before = up(before, 8 * behind)
                size -= behind

        # The whole number, in groups or not.
        start = first & 0xFF
        if size < 1 or ((start < ONE or start > 57) and (start != ZERO or size != 1)):
            continue
        if group_mark and size > 3 and down(last, 32) & 0xFF == group_mark:
            if behind == 0:
                continue
            digits = (last ^ pattern) & up(-1, max(64 - 8 * size, 0))
            bad |= digits | (digits + GROUP_LIMITS)
            value = _grouped_number(digits)
            if size > 8:
                digits = (before ^ pattern) & up(-1, 128 - 8 * size)
                bad |= digits | (digits + GROUP_LIMITS)
                value += _grouped_number(digits) * 1_000_000
        else:
            digits = (last ^ ZEROS) & up(-1, max(64 - 8 * size, 0))
            bad |= digits | (digits + DIGIT_LIMITS)
            value = _number(digits)
            if size > 8:
                digits = (before ^ ZEROS) & up(-1, 128 - 8 * size)
                bad |= digits | (digits + DIGIT_LIMITS)
                value += _number(digits) * 100_000_000
        if bad & HIGH or value >= limit:
            continue
        value = value * power + decimals
        value = -value if negative else value
        values[row], regular[row] = value, 1

        # What the cell says of its column.
        cells += 1
        with_units += with_unit
        if behind == 0:
            found[PLAIN] += 1
            found[PLAIN_LONG] += size > 3
            found[LENGTHS] |= 1 << size
            found[SIGNED] += negative and start != ZERO
            found[PLAIN_WITH_UNIT] += with_unit
        else:
            found[DECIMALS + behind - 2] += 1
            # One group of three: in the other style its mark stands between thousands.
            found[AMBIGUOUS] += behind == 4 and size <= 3 and start != ZERO
    found[CELLS], found[WITH_UNIT] = cells, with_units
    return cells


def _number(digits: int) -> int:
    pairs = digits * 10 + (digits >> 8)
    high = (pairs & PAIRS) * (100 + (1_000_000 << 32))
    low = ((pairs >> 16) & PAIRS) * (1 + (10_000 << 32))
    return down(high + low, 32)


def _grouped_number(digits: int) -> int:
    groups = ((digits >> 8) & PAIRS) * 100 + ((digits >> 16) & PAIRS) * 10 + ((digits >> 24) & PAIRS)
    return down(groups * (1 + (1000 << 32)), 32)
