// One download: its picture over time, why it is not faster, the remedies, and its proof.
import { call } from "./api.js";
import { byId, button, make, setAttribute, setFacts, setText } from "./dom.js";
import { bytes, clock, duration, percent, plural, rate, share, time } from "./format.js";
import { Legend, key, summary } from "./legend.js";
import { drawMap } from "./map.js";
import { proof } from "./proof.js";
import { drawTrace, spanOf } from "./tracepicture.js";
import { advice, cost, isActive, isFull, reason } from "./words.js";

const narrow = matchMedia("(max-width: 860px)");

export class Details {
	constructor(actions) {
		this.actions = actions;
		this.element = byId("details");
		this.id = null;
		this.build();
		new ResizeObserver(() => this.draw(true)).observe(this.element);
		narrow.addEventListener("change", () => this.cover());
		addEventListener("popstate", () => { if (this.id && !history.state?.details) this.hide(); });
	}

	get isOpen() { return this.id !== null; }

	open(download, trace) {
		const wasOpen = this.isOpen;
		this.id = download.id;
		[this.ranges, this.origin] = [null, null];
		this.element.hidden = false;
		this.cover();
		if (narrow.matches && !wasOpen) history.pushState({ details: true }, "");
		this.actions.chosenChanged();
		this.show(download, trace);
		this.element.scrollTop = 0;
		if (narrow.matches) this.closer.focus();
		this.ask(download);
	}

	// The list has no origins of digests, and no ranges of inactive downloads.
	async ask(download) {
		const full = await call("GET", `downloads/${download.id}`).catch(() => null);
		if (!full || this.id !== download.id) return;
		this.ranges = isActive(this.download) ? null : full.ranges;
		this.origin = full.checksumFrom;
		this.show(this.download, this.shownTrace);
	}

	close() {
		if (history.state?.details) history.back();
		else this.hide();
	}

	hide() {
		const { id } = this;
		this.id = null;
		this.element.hidden = true;
		this.cover();
		this.actions.closed(id);
		byId("list").focus();
	}

	// On a phone the details cover everything else, which is then unreachable.
	cover() {
		const isCovering = this.isOpen && narrow.matches;
		byId("column").inert = isCovering;
		document.querySelector(".top").inert = isCovering;
	}

	build() {
		const verb = (label, action) => button(label, () => this.actions.run(action, [this.id]));
		const move = (label, action) => button(label, () => this.actions.move(action, [this.id]), { class: "quiet" });
		this.name = make("h2");
		this.closer = button("✕", () => this.close(), { class: "quiet", "aria-label": "Close details" });
		this.verbs = { resume: verb("Resume", "resume"), pause: verb("Pause", "pause"), retry: verb("Retry", "retry"),
			restart: verb("Begin again", "restart"), remove: verb("Remove", "remove"), front: move("To the front", "front"), back: move("To the end", "back") };
		this.figures = make("p", { class: "figures" });
		this.reason = make("p", { class: "reason" });
		this.advice = make("p", { class: "advice" });
		this.map = make("canvas", { class: "filemap", role: "img" });
		this.trace = make("canvas", { class: "trace", role: "img" });
		this.axis = make("p", { class: "axis muted", "aria-hidden": "true" }, ...[0, 1, 2].map(() => make("span")));
		this.readout = make("p", { class: "readout muted" });
		this.legend = new Legend();
		this.picture = make("section", {}, make("h3", {}, "Where each connection is in the file"), this.map, this.trace, this.axis, this.readout, key(), this.legend.element);
		this.proof = make("section", { class: "proof" });
		this.facts = make("dl");
		this.trace.addEventListener("pointermove", (event) => this.point(event));
		this.trace.addEventListener("pointerleave", () => this.rest());
		this.element.replaceChildren(make("div", { class: "title" }, this.name, this.closer), this.figures,
			make("div", { class: "buttons" }, ...Object.values(this.verbs)), this.reason, this.advice, this.picture, this.proof, this.facts);
	}

	show(download, trace) {
		[this.download, this.shownTrace] = [{ ...download, ranges: isActive(download) ? download.ranges : this.ranges || download.ranges }, trace];
		const { state } = download;
		const mood = { failed: "bad", retrying: "warn", completed: "good" }[state] || (isFull(download) ? "good" : "");
		const isWaiting = state === "queued" || state === "retrying";
		setText(this.name, download.name || download.url);
		setText(this.figures, this.figuresOf(download));
		setText(this.reason, reason(download));
		this.reason.className = `reason ${mood}`;
		setText(this.advice, advice(download));
		this.advice.hidden = !this.advice.textContent;
		const shown = { resume: state === "paused", pause: isActive(download) || isWaiting, retry: ["failed", "cancelled", "retrying"].includes(state),
			restart: ["completed", "failed", "cancelled"].includes(state), remove: true, front: isWaiting, back: isWaiting };
		for (const [action, isShown] of Object.entries(shown)) this.verbs[action].hidden = !isShown;
		this.draw();
		this.showFacts(download);
		this.showProof(download);
	}

	figuresOf(download) {
		const left = duration(download.secondsRemaining);
		if (download.state === "completed") {
			const speed = download.seconds > 0.5 ? `, ${rate(download.bytesTotal / download.seconds)} on average` : "";
			return `${bytes(download.bytesTotal)}${speed}`;
		}
		const { bytesCompleted: done, bytesTotal: total } = download;
		const parts = total ? [percent(download), `${bytes(done)} of ${bytes(total)}`] : done ? [`${bytes(done)} of a length that is not known`] : [];
		if (download.state === "downloading" && !download.isOld) parts.push(rate(download.bytesPerSecond), left && `${left} left`);
		return parts.filter(Boolean).join(" · ");
	}

	draw(isForced = false) {
		const { download, shownTrace: trace } = this;
		if (!this.isOpen || !download) return;
		const isEmpty = !download.bytesCompleted && !isActive(download);
		this.picture.hidden = !download.bytesTotal || isEmpty || (download.state === "completed" && !trace);
		if (this.picture.hidden) return;
		drawMap(this.map, download, isForced);
		setAttribute(this.map, "aria-label", `The file: ${percent(download)} is on the disk, in ${plural(download.ranges?.length || 1, "piece")}.`);
		[...this.axis.children].forEach((each, index) => setText(each, index ? `${["", "", "end: "][index]}${bytes(download.bytesTotal * index / 2)}` : "start of the file"));
		this.trace.hidden = this.readout.hidden = !trace;
		this.legend.element.hidden = !trace || !isActive(download) || download.isOld;
		if (!trace) return;
		drawTrace(this.trace, trace);
		setAttribute(this.trace, "aria-label", summary(trace));
		this.legend.show(trace);
		if (!this.isPointing) this.rest();
	}

	rest() {
		this.isPointing = false;
		setText(this.readout, "The top is now, below is earlier. Point at the picture to read it.");
	}

	point(event) {
		const trace = this.shownTrace;
		if (!trace?.total) return;
		this.isPointing = true;
		const now = trace.last - event.offsetY / this.trace.clientHeight * spanOf(trace);
		const found = trace.at(now, event.offsetX / this.trace.clientWidth * trace.total);
		setText(this.readout, found ? `At ${clock(now)} connection ${found.lane + 1} was at ${share(found.position, trace.total)}, with ${rate(found.rate)}.`
			: `At ${clock(now)} the page was not open.`);
	}

	showFacts(download) {
		setFacts(this.facts, [
			["Link", download.url], ...(download.mirrors || []).map((url) => ["Mirror", url]),
			[download.path ? "File" : "Directory", download.path || download.directory || ""],
			["Active time", download.seconds ? duration(download.seconds) : ""],
			["Cost", cost(download)], ["Added", time(download.added)],
			["Ended", time(download.ended)], ["Number", `${download.number} in the queue's list, gid ${download.id}`],
		]);
	}

	showProof(download) {
		const key = JSON.stringify([download.id, download.state, download.checksums, download.proofs, download.path, this.origin || "request"]);
		if (key === this.shownProof) return;
		this.shownProof = key;
		this.proof.replaceChildren(...proof(download, this.origin));
		this.proof.hidden = !this.proof.childElementCount;
	}
}
