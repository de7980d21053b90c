// Mirrors: each is one line with its changes; opened it shows the names, the proof and the cost.
import { call } from "./api.js";
import { byId, button, copy, make, say, setAttribute, setFacts, setLine, setText } from "./dom.js";
import { bytes, rate, share, time } from "./format.js";
import { icon, setIcon } from "./icons.js";
import { confirmMirrorRemoval } from "./mirrordialog.js";
import { cost, done, icons, nameOf, problem, sentence, states } from "./mirrorwords.js";

const isBusy = (mirror) => ["running", "stopping", "waiting"].includes(mirror.state);

class Row {
	constructor(id, act) {
		[this.id, this.act] = [id, act];
		this.icon = icon();
		this.state = make("span", { class: "hidden" });
		[this.name, this.what] = ["name", "what"].map((part) => make("span", { class: part }));
		[this.size, this.percent, this.speed] = ["size", "percent", "speed"].map((part) => make("span", { class: `figure ${part}` }));
		this.bar = make("progress", { max: "1", "aria-hidden": "true" });
		this.verbs = { run: button("Run again", () => act(id, "run")), stop: button("Stop", () => act(id, "stop")),
			remove: button("Remove", () => act(id, "remove")) };
		this.problem = make("p", { class: "reason bad" });
		this.changes = make("ul", { class: "changes" });
		this.facts = make("dl");
		this.proof = make("p", { class: "buttons" });
		this.element = make("details", { class: "mirror" },
			make("summary", {}, make("span", { class: "mark" }, this.icon), this.state, this.name, this.size, this.percent, this.speed, this.what, this.bar),
			make("div", { class: "body" }, make("div", { class: "buttons" }, ...Object.values(this.verbs)), this.problem, this.changes, this.facts, this.proof));
		this.element.addEventListener("toggle", () => this.load());
	}

	show(mirror) {
		this.mirror = mirror;
		const isRunning = mirror.state === "running";
		this.element.className = `mirror ${mirror.state}`;
		setIcon(this.icon, icons[mirror.state]);
		setText(this.state, `Mirror, ${states[mirror.state]}:`);
		setText(this.name, nameOf(mirror));
		setLine(this.what, sentence(mirror));
		setText(this.size, mirror.bytes ? bytes(mirror.bytes) : "");
		setText(this.percent, isRunning && mirror.listed ? share(done(mirror), Math.max(mirror.listed, done(mirror))) : "");
		setText(this.speed, isRunning ? rate(mirror.bytesPerSecond) : "");
		this.bar.hidden = !isRunning;
		setAttribute(this.bar, "value", mirror.listed ? done(mirror) / Math.max(mirror.listed, done(mirror)) : 0);
		this.verbs.run.hidden = isBusy(mirror);
		setText(this.verbs.run, mirror.ended && mirror.state !== "stopped" ? "Run again" : "Run");
		this.verbs.stop.hidden = !isBusy(mirror) || mirror.state === "stopping";
		setText(this.problem, problem(mirror));
		this.problem.hidden = !mirror.problem;
		this.showFacts(mirror);
		if (this.element.open) this.load();
	}

	showFacts(mirror) {
		const rules = [mirror.include.length && `only ${mirror.include.join(", ")}`, mirror.exclude.length && `without ${mirror.exclude.join(", ")}`,
			mirror.depth !== null && `${mirror.depth} levels deep`, mirror.deletes ? "files that the source no longer has are removed" : mirror.gone && "files that the source no longer has are kept"].filter(Boolean);
		setFacts(this.facts, [["Source", mirror.source], ["Directory", mirror.directory], ["Files", rules.join("; ")], ["Cost", cost(mirror)],
			["Ended", time(mirror.ended)]]);
		if (mirror.proof === this.shownProof) return;
		this.shownProof = mirror.proof;
		this.proof.replaceChildren(...this.proofOf(mirror));
	}

	proofOf({ proof, directory }) {
		if (!proof) return [];
		const quoted = directory.replaceAll("'", "'\\''");
		const line = `cd '${quoted}' && sha256sum -c ${proof.slice(directory.length).replace(/^\//, "")}`;
		const code = make("code", {}, line);
		return [code, button("Copy the check of all files", async () => {
			say(await copy(line, code) ? "Copied. It compares each file with its SHA-256." : "The line is selected; copy it.", true);
		})];
	}

	// The list has no names of changes.
	async load() {
		const { id, mirror } = this;
		const key = JSON.stringify([mirror.state, mirror.ended, mirror.new, mirror.changed, mirror.removed, mirror.failed]);
		if (!this.element.open || this.loaded === key) return;
		this.loaded = key;
		const full = await call("GET", `mirrors/${id}`).catch(() => null);
		if (!full) return;
		const rank = { failed: 0, changed: 1, removed: 2, new: 3 };
		const named = [...full.changes].sort((one, other) => rank[one.kind] - rank[other.kind]);
		const rest = full.new + full.changed + full.removed + full.failed - named.length;
		this.changes.replaceChildren(...named.map(({ kind, path, message }) => make("li", { class: kind },
			make("span", { class: "kind" }, kind), make("span", {}, path, message ? make("small", {}, message) : ""))),
		...(rest > 0 ? [make("li", {}, make("span", { class: "kind" }, ""), make("span", {}, `and ${rest.toLocaleString("en")} others`))] : []));
	}
}

export class Mirrors {
	constructor(changed) {
		this.changed = changed;
		this.rows = new Map();
		this.touched = new Set();
		this.list = byId("mirror-list");
	}

	get isEmpty() { return this.rows.size === 0; }

	// An event that arrives meanwhile is newer than the answer.
	async reload() {
		this.touched.clear();
		const { mirrors } = await call("GET", "mirrors");
		const isOlder = (id) => !this.touched.has(id);
		const known = new Set(mirrors.map((mirror) => mirror.id));
		const gone = [...this.rows.keys()].filter((id) => !known.has(id) && isOlder(id));
		const newer = mirrors.filter((mirror) => isOlder(mirror.id));
		for (const id of gone) this.remove(id);
		for (const mirror of newer) this.take(mirror);
		this.changed();
	}

	/// Updates the state of a mirror.
	take(mirror) {
		this.touched.add(mirror.id);
		let row = this.rows.get(mirror.id);
		if (!row) {
			row = new Row(mirror.id, (id, action) => this.act(id, action));
			this.rows.set(mirror.id, row);
			this.list.append(make("li", {}, row.element));
		}
		const before = row.mirror?.state;
		row.show(mirror);
		if (["running", "stopping"].includes(before) && !isBusy(mirror)) setText(byId("news"), `The mirror ${nameOf(mirror)}: ${sentence(mirror)}`);
		this.showSection();
	}

	remove(id) {
		this.touched.add(id);
		this.rows.get(id)?.element.parentElement.remove();
		this.rows.delete(id);
		this.showSection();
	}

	showSection() {
		byId("mirrors").hidden = this.isEmpty;
		this.changed();
	}

	async act(id, action) {
		const { mirror } = this.rows.get(id);
		if (action === "remove" && !await confirmMirrorRemoval(mirror)) return;
		await call("POST", `mirrors/${id}`, { action }).then((answer) => {
			if (answer.mirror) this.take(answer.mirror);
			else this.remove(id);
		}, (error) => say(error.message));
	}
}
