// The list: only the rows that are seen are in the document.
import { byId, make, setText } from "./dom.js";
import { bytes, clock, duration, percent, rate } from "./format.js";
import { drawMap } from "./pictures.js";

const height = 60;

export function sentence(download) {
  const { state } = download;
  if (download.error && (state === "failed" || state === "retrying")) {
    return state === "retrying" && download.retriesAt
      ? `Tries again at ${clock(download.retriesAt)}: ${download.error.message}` : download.error.message;
  }
  if (state === "completed") return `${bytes(download.bytesTotal)} in ${duration(download.seconds) || "0 s"}, ${download.directory || ""}`;
  if (state === "downloading") return download.slowBecause || `${download.connections} ${download.connections === 1 ? "connection" : "connections"}`;
  return { queued: "Waits for its turn", probing: "Asks the server", paused: "Paused", verifying: "Compares the digest",
    finalizing: "Gets its name", cancelled: "Cancelled" }[state] || state;
}

export class List {
  constructor(store, actions) {
    this.store = store;
    this.actions = actions;
    this.element = byId("list");
    this.spacer = byId("spacer");
    this.rows = new Map();
    this.chosen = new Set();
    this.current = 0;
    this.element.addEventListener("scroll", () => this.ask());
    this.element.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.ask()).observe(this.element);
  }

  ask() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
  }

  draw() {
    const { store } = this;
    this.spacer.style.height = `${store.total * height}px`;
    byId("empty").hidden = !(store.isKnown && store.total === 0);
    const first = Math.max(0, Math.floor(this.element.scrollTop / height) - 4);
    const last = Math.min(store.total, Math.ceil((this.element.scrollTop + this.element.clientHeight) / height) + 4);
    this.current = Math.max(0, Math.min(this.current, store.total - 1));
    for (const [place, row] of this.rows) {
      if (place < first || place >= last) { row.element.remove(); this.rows.delete(place); }
    }
    for (let place = first; place < last; place += 1) this.show(place);
    const row = this.rows.get(this.current);
    if (row) this.element.setAttribute("aria-activedescendant", row.element.id);
    else this.element.removeAttribute("aria-activedescendant");
    byId("chosen").textContent = this.chosen.size > 1 ? `${this.chosen.size} chosen` : "";
  }

  show(place) {
    const download = this.store.at(place);
    const row = this.rows.get(place) || this.make(place);
    row.id = download?.id;
    row.element.className = `row ${download?.state || ""} ${place === this.current ? "current" : ""}`;
    row.element.setAttribute("aria-selected", String(download ? this.chosen.has(download.id) : false));
    row.element.setAttribute("aria-posinset", place + 1);
    row.element.setAttribute("aria-setsize", this.store.total);
    setText(row.name, download ? download.name || download.url : "…");
    setText(row.what, download ? sentence(download) : "");
    setText(row.size, download ? bytes(download.bytesTotal) : "");
    setText(row.percent, download ? percent(download) : "");
    setText(row.speed, download?.state === "downloading" ? rate(download.bytesPerSecond) : "");
    setText(row.left, download?.state === "downloading" ? duration(download.secondsRemaining) : "");
    if (download) drawMap(row.map, download, 8);
  }

  make(place) {
    const [name, what] = [make("span", { class: "name" }), make("span", { class: "what" })];
    const [size, share, speed, left] = ["size", "percent", "speed", "left"].map((kind) => make("span", { class: `figure ${kind}` }));
    const map = make("canvas", { class: "map", "aria-hidden": "true" });
    const element = make("div", { class: "row", role: "option", id: `row-${place}`, draggable: "true" },
      name, size, share, speed, left, what, map);
    element.style.top = `${place * height}px`;
    element.addEventListener("click", (event) => this.click(place, event));
    element.addEventListener("dblclick", () => this.actions.open(this.rows.get(place)?.id));
    element.addEventListener("dragstart", (event) => event.dataTransfer.setData("application/x-segdl", this.rows.get(place)?.id || ""));
    element.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("application/x-segdl")) return;
      event.preventDefault();
      element.classList.add("over");
    });
    element.addEventListener("dragleave", () => element.classList.remove("over"));
    element.addEventListener("drop", (event) => {
      const id = event.dataTransfer.getData("application/x-segdl");
      const before = this.rows.get(place)?.id;
      element.classList.remove("over");
      if (!id || !before || id === before) return;
      event.preventDefault();
      event.stopPropagation();
      this.actions.move(id, before);
    });
    this.element.append(element);
    const row = { element, name, what, size, percent: share, speed, left, map };
    this.rows.set(place, row);
    return row;
  }

  click(place, event) {
    const id = this.rows.get(place)?.id;
    if (!id) return;
    if (event.ctrlKey || event.metaKey) {
      if (!this.chosen.delete(id)) this.chosen.add(id);
    } else if (event.shiftKey) {
      this.span(this.current, place);
    } else {
      this.chosen = new Set([id]);
      this.actions.open(id);
    }
    this.current = place;
    this.ask();
  }

  span(from, to) {
    for (let place = Math.min(from, to); place <= Math.max(from, to); place += 1) {
      const download = this.store.at(place);
      if (download) this.chosen.add(download.id);
    }
  }

  go(place, extends_) {
    const target = Math.max(0, Math.min(place, this.store.total - 1));
    if (extends_) this.span(this.current, target);
    this.current = target;
    const top = target * height;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    if (top + height > this.element.scrollTop + this.element.clientHeight) {
      this.element.scrollTop = top + height - this.element.clientHeight;
    }
    const download = this.store.at(target);
    if (!extends_ && download) this.chosen = new Set([download.id]);
    this.ask();
  }

  key(event) {
    const leap = Math.max(1, Math.floor(this.element.clientHeight / height) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: leap, PageUp: -leap, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined && !event.altKey) {
      event.preventDefault();
      this.go(this.current + step, event.shiftKey);
      return;
    }
    const id = this.store.at(this.current)?.id;
    if (event.altKey && id && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      this.shift(id, event.key === "ArrowUp" ? -1 : 1);
    } else if (event.key === "Enter" && id) {
      this.actions.open(id);
    } else if (event.key === " " && id) {
      event.preventDefault();
      this.actions.toggle(this.store.get(id));
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.actions.run("remove");
    } else if (event.key === "a" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.span(0, this.store.total - 1);
      this.ask();
    } else {
      return;
    }
    event.stopPropagation();
  }

  shift(id, step) {
    const other = this.store.at(this.current + (step < 0 ? -1 : 2));
    if (step < 0 && this.current === 0) return;
    this.current = Math.max(0, Math.min(this.current + step, this.store.total - 1));
    if (other) this.actions.move(id, other.id);
    else this.actions.last(id);
  }
}
