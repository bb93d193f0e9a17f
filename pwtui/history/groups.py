"""Lists entries for a view that counts equal neighbours instead of repeating them."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from pwtui.history.reader import Condition, HistoryReader
from pwtui.history.tables import State
from pwtui.protocol.catalog import Effect

# What is equal to the next entry: requests that read, with the same envelope but for its id. Only
# those with the same names have to be compared.
_READS = list(Effect).index(Effect.READS)
_SAME = " and ".join(
    f"{name} is lead({name}) over ordered"
    for name in ("op", "client", "profile", "workspace", "state", "code")
)
_FOLDED = f"""
with found as materialized (
    select id, op, client, profile, workspace, state, code, effect
    from requests where {{where}}),
compared as (
    select id, row_number() over ordered as number,
        case when effect = {_READS} and state in ({State.OK}, {State.FAILED}) and {_SAME}
        then lead(id) over ordered end as next
    from found window ordered as (order by id))
select id, number from compared where next is null or not coalesce(
    (select substr(one.request, instr(one.request, '"op"'))
        = substr(other.request, instr(other.request, '"op"'))
    from bodies one, bodies other where one.id = compared.id and other.id = compared.next), 0)
order by id
"""
_ALL = "select id, row_number() over (order by id) from requests where {where} order by id"


class Groups(NamedTuple):
    """The number of the last entry of each group, and how many entries each has; newest first."""

    ids: array[int]
    counts: array[int]


def groups(
    history: HistoryReader, conditions: Sequence[Condition], *, folds: bool = True
) -> Groups:
    """The groups of the entries that meet all conditions; each is alone unless `folds`."""
    where = " and ".join(f"({each.sql})" for each in conditions) or "1"
    values = [value for each in conditions for value in each.values]
    ids, counts, before = array("q"), array("q"), 0
    for id, number in history.rows((_FOLDED if folds else _ALL).format(where=where), *values):
        ids.append(id)
        counts.append(number - before)
        before = number
    ids.reverse()
    counts.reverse()
    return Groups(ids, counts)
