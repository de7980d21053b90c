// Pictures: the speed of the last minutes, the bytes of a file, and its segments over time.
import { colour, context } from "./dom.js";

const palette = ["#1b8a78", "#c2571a", "#6a5acd", "#b0308a", "#2f7fc1", "#8a7a12", "#c23b4e", "#3f8f3a"];

export function drawGraph(canvas, speeds) {
  const height = 36;
  const { drawing, width } = context(canvas, height);
  if (speeds.length < 2) return;
  const top = Math.max(...speeds, 1);
  const step = width / 180;
  drawing.beginPath();
  drawing.moveTo(width - (speeds.length - 1) * step, height);
  speeds.forEach((speed, index) => {
    drawing.lineTo(width - (speeds.length - 1 - index) * step, height - 2 - speed / top * (height - 4));
  });
  drawing.lineTo(width, height);
  drawing.closePath();
  drawing.fillStyle = colour("--tint");
  drawing.fill();
  drawing.strokeStyle = colour("--accent");
  drawing.lineWidth = 1.5;
  drawing.stroke();
}

/// The bytes on the disk, and where connections are at work.
export function drawMap(canvas, download, height) {
  const { drawing, width } = context(canvas, height);
  const total = download.bytesTotal;
  drawing.fillStyle = colour("--accent");
  if (download.state === "completed") { drawing.fillRect(0, 0, width, height); return; }
  if (!total) return;
  if (!download.ranges) { drawing.fillRect(0, 0, width * download.bytesCompleted / total, height); return; }
  for (const [start, end] of download.ranges) {
    drawing.fillRect(start / total * width, 0, Math.max((end - start) / total * width, 0.5), height);
  }
  drawing.fillStyle = colour("--warn");
  for (const segment of download.segments || []) {
    drawing.fillRect(Math.min(segment.position / total * width, width - 2), 0, 2, height);
  }
}

/// What connections did since the page knows the download: one sample a second.
export class Trace {
  constructor() {
    this.samples = [];
    this.lanes = new Map();
    this.taken = [];
  }

  add(download) {
    const now = Date.now() / 1000;
    const segments = (download.segments || []).map((segment) => ({ ...segment, lane: this.lane(segment, now) }));
    const before = this.samples.at(-1)?.segments || [];
    for (const segment of segments) this.notice(segment, before, now);
    this.samples.push({ now, segments });
    if (this.samples.length > 600) this.samples.shift();
  }

  // A connection keeps its colour as long as its segment begins at the same byte.
  lane(segment, now) {
    const known = this.lanes.get(segment.start);
    if (known) { known.seen = now; return known.lane; }
    for (const [start, entry] of this.lanes) if (now - entry.seen > 5) this.lanes.delete(start);
    const used = new Set([...this.lanes.values()].map((entry) => entry.lane));
    let lane = 0;
    while (used.has(lane)) lane += 1;
    this.lanes.set(segment.start, { lane, seen: now });
    return lane;
  }

  notice(segment, before, now) {
    if (before.some((other) => other.start === segment.start)) return;
    const owner = before.find((other) => other.start < segment.start && segment.start < other.end);
    if (owner) this.taken.push({ now, from: owner.lane, to: segment.lane, at: segment.start, length: segment.end - segment.start });
    if (this.taken.length > 50) this.taken.shift();
  }

  draw(canvas, total, height) {
    const { drawing, width } = context(canvas, height);
    if (!total || !this.samples.length) return;
    const last = this.samples.at(-1).now;
    const span = Math.max(last - this.samples[0].now, 20);
    const y = (now) => height - 3 - (last - now) / span * (height - 6);
    const previous = new Map();
    let earlier = 0;
    drawing.lineWidth = 2;
    for (const { now, segments } of this.samples) {
      for (const segment of segments) {
        // A connection that began between two samples is drawn from its first byte.
        const from = previous.get(segment.start) || { position: earlier ? segment.start : segment.position, now: earlier || now };
        drawing.strokeStyle = palette[segment.lane % palette.length];
        drawing.beginPath();
        drawing.moveTo(from.position / total * width, y(from.now));
        drawing.lineTo(segment.position / total * width, y(now));
        drawing.stroke();
        previous.set(segment.start, { now, position: segment.position });
      }
      earlier = now;
    }
    for (const taken of this.taken) {
      drawing.fillStyle = palette[taken.to % palette.length];
      drawing.beginPath();
      drawing.arc(taken.at / total * width, y(taken.now), 3.5, 0, 7);
      drawing.fill();
    }
  }

  /// The picture in words.
  words(bytes) {
    const segments = this.samples.at(-1)?.segments || [];
    const lines = [`${segments.length} ${segments.length === 1 ? "connection is" : "connections are"} at work.`];
    const taken = this.taken.at(-1);
    if (taken) lines.push(`Connection ${taken.to + 1} took the last ${bytes(taken.length)} of connection ${taken.from + 1}.`);
    return lines.join(" ");
  }
}
