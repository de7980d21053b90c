// One download in full: its picture over time, why it is not faster, and the proof of its digest.
import { byId, make, say, setText } from "./dom.js";
import { bytes, duration, percent, rate, time } from "./format.js";
import { sentence } from "./list.js";
import { drawMap } from "./pictures.js";

export class Details {
  constructor(actions) {
    this.actions = actions;
    this.element = byId("details");
    this.id = null;
  }

  open(download, trace) {
    this.id = download.id;
    this.element.hidden = false;
    this.build();
    this.show(download, trace);
  }

  close() {
    this.id = null;
    this.element.hidden = true;
    byId("list").focus();
  }

  build() {
    const button = (label, action) => make("button", { type: "button", onclick: () => this.actions.run(action, [this.id]) }, label);
    this.name = make("h2");
    this.reason = make("p", { class: "reason" });
    this.map = make("canvas", { role: "img", "aria-label": "The bytes on the disk" });
    this.trace = make("canvas", { role: "img" });
    this.words = make("p", { class: "muted" });
    this.facts = make("dl");
    this.proof = make("div");
    this.buttons = { resume: button("Resume", "resume"), pause: button("Pause", "pause"), retry: button("Retry", "retry"),
      restart: button("Begin again", "restart"), remove: button("Remove", "remove") };
    this.picture = make("div", {}, make("h3", {}, "Connections over time, the newest at the bottom"), this.trace, this.words);
    this.map.style.height = "14px";
    this.trace.style.height = "180px";
    this.element.replaceChildren(
      make("div", { class: "head" }, this.name,
        make("button", { type: "button", class: "quiet", "aria-label": "Close details", onclick: () => this.close() }, "✕")),
      make("div", { class: "buttons" }, ...Object.values(this.buttons)),
      this.reason, make("div", {}, make("h3", {}, "The file"), this.map), this.picture, this.proof, this.facts);
  }

  show(download, trace) {
    setText(this.name, download.name || download.url);
    const isRunning = ["probing", "downloading", "verifying", "finalizing"].includes(download.state);
    const bad = download.state === "failed" || download.state === "retrying";
    const text = bad ? sentence(download) : download.slowBecause
      || (download.state === "downloading" ? "Nothing on this side holds it back: the line or the server sets the speed." : sentence(download));
    setText(this.reason, text);
    this.reason.classList.toggle("bad", bad);
    const shows = { resume: download.state === "paused", pause: isRunning || ["queued", "retrying"].includes(download.state),
      retry: ["failed", "cancelled", "retrying"].includes(download.state), restart: download.state === "completed", remove: true };
    for (const [action, isShown] of Object.entries(shows)) this.buttons[action].hidden = !isShown;
    drawMap(this.map, download, 14);
    this.picture.hidden = !trace;
    if (trace) {
      trace.draw(this.trace, download.bytesTotal, 180);
      const words = trace.words(bytes);
      setText(this.words, words);
      this.trace.setAttribute("aria-label", words);
    }
    this.showFacts(download);
    this.showProof(download);
  }

  showFacts(download) {
    const facts = [
      ["Size", `${bytes(download.bytesCompleted)} of ${bytes(download.bytesTotal)}${percent(download) && `, ${percent(download)}`}`],
      ["Speed", download.state === "downloading" ? rate(download.bytesPerSecond) : ""],
      ["Time left", download.state === "downloading" ? duration(download.secondsRemaining) : ""],
      ["Time at work", duration(download.seconds)], ["Tries", String(download.attempts)],
      ["Link", download.url], ...(download.mirrors || []).map((url) => ["Mirror", url]),
      ["Place", download.path || download.directory || ""], ["Added", time(download.added)],
      ["Ended", time(download.ended)], ["Number", `${download.number} (${download.id})`],
    ].filter(([, value]) => value);
    const key = JSON.stringify(facts);
    if (key === this.shownFacts) return;
    this.shownFacts = key;
    this.facts.replaceChildren(...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  showProof(download) {
    const key = `${download.state} ${JSON.stringify(download.checksums)} ${download.path}`;
    if (key === this.shownProof) return;
    this.shownProof = key;
    this.proof.replaceChildren();
    for (const { algorithm, hex } of download.checksums || []) {
      const isDone = download.state === "completed";
      const line = `${hex}  ${download.path || download.name}`;
      this.proof.append(make("h3", {}, isDone ? `${algorithm}, as you gave it: verified` : `${algorithm}, as you gave it: verified at the end`),
        make("code", {}, isDone ? line : hex));
      if (!isDone) continue;
      this.proof.append(make("button", { type: "button", class: "quiet", onclick: async () => {
        await navigator.clipboard.writeText(line);
        say(`Copied; check it with: ${algorithm}sum -c`, true);
      } }, `Copy the line for ${algorithm}sum -c`));
    }
  }
}
