/* What the hub answers, as text; null where it cannot be reached or refuses: the page keeps what it has, and the next
   `hello` or quiet spell asks again. Only the line is caught here: a fault in what is done with an answer is to be
   seen. An answer from elsewhere than asked is the log-in page, so the page goes there. */
export async function hubAnswer(address, headers) {
  try {
    const response = await fetch(address, { headers });
    if (response.redirected) { location.reload(); return null; }
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}
