/* The list of ended turns: newest first, whatever order the turns come in. */

const endedAt = (row) => Date.parse(row.querySelector("time").dateTime);

/* Where a row that ended then goes among times that fall: before the first that is not later. */
export function placeOf(ended, times) {
  const at = times.findIndex((time) => time <= ended);
  return at < 0 ? times.length : at;
}

export function insertEnded(feed, row) {
  const rows = [...feed.children];
  feed.insertBefore(row, rows[placeOf(endedAt(row), rows.map(endedAt))] ?? null);
}
