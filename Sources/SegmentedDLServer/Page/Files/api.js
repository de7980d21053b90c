// The daemon's API: calls, and the stream of events, which comes back by itself.
const key = "segdl-secret";

export class Unauthorized extends Error {}

export const secret = {
  get() { return sessionStorage.getItem(key) || ""; },
  set(value) { sessionStorage.setItem(key, value); },
  // A fragment is not sent to the server, and is taken out of the address so that it is not shared with it.
  takeFromAddress() {
    const found = /^#token=(.+)$/.exec(location.hash);
    if (!found) return;
    this.set(decodeURIComponent(found[1]));
    history.replaceState(null, "", location.pathname);
  },
};

async function request(path, options = {}) {
  const headers = { Authorization: `Bearer ${secret.get()}`, ...options.headers };
  const response = await fetch(`/api/v1/${path}`, { ...options, headers, cache: "no-store" });
  if (response.status === 401) throw new Unauthorized("The secret is wrong.");
  return response;
}

export async function call(method, path, body) {
  const options = { method };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "Content-Type": "application/json" };
  }
  const response = await request(path, options);
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error?.message || `The daemon answered ${response.status}.`);
  return answer;
}

export const act = (action, ids, more = {}) => call("POST", "actions", { action, ids, ...more });

/// Reads events for ever. `on` has a function for each name, and `connected` and `lost`.
export async function follow(on) {
  let wait = 500;
  for (;;) {
    try {
      const response = await request("events");
      if (!response.ok) throw new Error(`The daemon answered ${response.status}.`);
      wait = 500;
      on.connected();
      await read(response.body.getReader(), on);
      throw new Error("The daemon ended the connection.");
    } catch (error) {
      if (error instanceof Unauthorized) { await on.unauthorized(); continue; }
      on.lost(wait);
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, 10_000);
    }
  }
}

async function read(reader, on) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const name = lines.find((line) => line.startsWith("event: "))?.slice(7);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      if (name && data && on[name]) on[name](JSON.parse(data));
    }
  }
}
