# Copyright (c) 2026 eessi.arch_guard contributors
# SPDX-License-Identifier: BSD-2-Clause

"""Two lists side by side: what stands in both in the same order."""


def aligned(one, other, weight):
    """Return pairs (place in ``one``, place in ``other``) of equal items in the same order, in order.

    ``one``, ``other``: lists; ``weight``: function from an item to a positive number. Of all such selections it is the
    one with the greatest sum of weights; of equal ones the one whose items stand nearer to the end of ``other``.
    """
    start, end = 0, 0
    shorter = min(len(one), len(other))
    while end < shorter and one[len(one) - 1 - end] == other[len(other) - 1 - end]:
        end += 1
    while start < shorter - end and one[start] == other[start] and _is_once(one[start], one, other):
        start += 1
    pairs = [(number, number) for number in range(start)]
    pairs += _heaviest(one, other, (start, len(one) - end), (start, len(other) - end), weight)
    return pairs + [(len(one) - number, len(other) - number) for number in range(end, 0, -1)]


def _is_once(item, one, other):
    # Else an equal one further on may be the better choice.
    return one.count(item) == 1 == other.count(item)


def _heaviest(one, other, rows, columns, weight):
    """Return the pairs within the ranges ``rows`` of ``one`` and ``columns`` of ``other``, each (first, behind the last)."""
    (top, bottom), (left, right) = rows, columns
    # best[row][column]: the greatest sum for what stands before the row and the column.
    best = [[0] * (right - left + 1)]
    for row in range(top, bottom):
        above, line = best[-1], [0]
        item, gain = one[row], weight(one[row])
        for column in range(right - left):
            line.append(max(above[column + 1], line[column], above[column] + gain if other[left + column] == item else 0))
        best.append(line)
    pairs = []
    row, column = bottom - top, right - left
    while row and column:
        here = best[row][column]
        item = one[top + row - 1]
        if item == other[left + column - 1] and here == best[row - 1][column - 1] + weight(item):
            row, column = row - 1, column - 1
            pairs.append((top + row, left + column))
        elif here == best[row - 1][column]:
            row -= 1
        else:
            column -= 1
    return pairs[::-1]
