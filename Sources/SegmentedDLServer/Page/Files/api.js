// The daemon's API: calls, and the stream of events, which reconnects by itself.
import { forget } from "./dom.js";

const key = "segdl-secret";
const longestWait = 15_000;
// The daemon sends its state every second. A stream that is silent for this long is lost.
const longestSilence = 8_000;

export class Unauthorized extends Error {}

export const secret = {
	get() { return sessionStorage.getItem(key) || ""; },
	set(value) { sessionStorage.setItem(key, value); },
	// A fragment is not sent to the server, and is removed from the address so that it is not shared with it.
	takeFromAddress() {
		const found = /^#token=(.+)$/.exec(location.hash);
		if (!found) return;
		try { this.set(decodeURIComponent(found[1])); } catch { this.set(found[1]); }
		history.replaceState(null, "", location.pathname);
	},
};

async function request(path, options = {}) {
	const headers = { Authorization: `Bearer ${secret.get()}`, ...options.headers };
	const response = await fetch(`/api/v1/${path}`, { ...options, headers, cache: "no-store" });
	if (response.status === 401) {
		const { error } = await response.json().catch(() => ({}));
		throw Object.assign(new Unauthorized("The secret is wrong."), { file: error?.secretFile });
	}
	return response;
}

export async function call(method, path, body) {
	const options = { method };
	if (body !== undefined) {
		options.body = JSON.stringify(body);
		options.headers = { "Content-Type": "application/json" };
	}
	const response = await request(path, options).catch((error) => {
		throw error instanceof Unauthorized ? error : new Error("The daemon does not answer; nothing was changed.");
	});
	const answer = await response.json().catch(() => ({}));
	if (!response.ok) throw new Error(answer.error?.message || `The daemon answered ${response.status}.`);
	if (body !== undefined) forget();
	return answer;
}

const most = 1000;

export async function act(action, ids, more = {}) {
	if (ids === "all") return call("POST", "actions", { action, ids, ...more });
	for (let start = 0; start < ids.length; start += most) {
		await call("POST", "actions", { action, ids: ids.slice(start, start + most), ...more });
	}
}

let stopWaiting = () => {};

/// Ends the wait before the next retry.
export const tryNow = () => stopWaiting();

const pause = (milliseconds) => new Promise((resolve) => {
	const timer = setTimeout(resolve, milliseconds);
	stopWaiting = () => { clearTimeout(timer); resolve(); };
});

/// Reads events forever. `on` has a function for each name, and `connected`, `lost` and `unauthorized`.
export async function follow(on) {
	let wait = 500;
	for (;;) {
		const ends = new AbortController();
		const silence = { since: Date.now() };
		const guard = setInterval(() => { if (Date.now() - silence.since > longestSilence) ends.abort(); }, 1000);
		try {
			const response = await request("events", { signal: ends.signal });
			if (!response.ok) throw new Error(`The daemon answered ${response.status}.`);
			on.connected();
			await read(response.body.getReader(), on, () => { silence.since = Date.now(); wait = 500; });
			throw new Error("The daemon ended the connection.");
		} catch (error) {
			clearInterval(guard);
			if (error instanceof Unauthorized) { await on.unauthorized(); continue; }
			on.lost(wait);
			await pause(wait);
			wait = Math.min(wait * 2, longestWait);
		} finally {
			clearInterval(guard);
		}
	}
}

async function read(reader, on, heard) {
	const decoder = new TextDecoder();
	let text = "";
	for (;;) {
		const { value, done } = await reader.read();
		if (done) return;
		heard();
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
