// Adding downloads: by paste, by drop, with options.
import { call } from "./api.js";
import { byId, say } from "./dom.js";

/// The links of a text; lines that begin with # are comments.
export function links(text) {
  return text.split(/\s*\n\s*/).map((line) => line.trim())
    .filter((line) => line && !line.startsWith("#"))
    .flatMap((line) => line.split(/\s+(?=https?:\/\/)/));
}

function options() {
  const value = (id) => byId(id).value.trim() || null;
  const segments = value("add-segments");
  return {
    directory: value("add-directory"), name: value("add-name"), checksum: value("add-checksum"),
    segments: segments === null ? null : Number(segments), paused: byId("add-paused").checked, ifExists: byId("add-exists").value,
  };
}

async function add(text) {
  const urls = links(text);
  if (!urls.length) return;
  const given = options();
  if (urls.length > 1 && (given.name || given.checksum)) {
    say("A name and a checksum are for one link; add that one alone.");
    return;
  }
  if (given.segments !== null && !(given.segments >= 1)) { say("The connections are a number of 1 or more."); return; }
  const { results } = await call("POST", "downloads", { downloads: urls.map((url) => ({ url, ...given })) });
  const left = urls.filter((_, index) => results[index].error);
  byId("urls").value = left.join("\n");
  grow();
  if (!left.length) { byId("add-name").value = ""; byId("add-checksum").value = ""; }
  const failed = results.filter((result) => result.error).map((result) => result.error.message);
  say(failed.length ? failed.slice(0, 3).join(" ") : `${urls.length} added.`, !failed.length);
}

function grow() {
  const area = byId("urls");
  area.rows = Math.min(8, Math.max(1, area.value.split("\n").length));
}

const attempt = (text) => add(text).catch((error) => say(error.message));

export function startAdding() {
  const area = byId("urls");
  byId("add").addEventListener("submit", (event) => { event.preventDefault(); attempt(area.value); });
  area.addEventListener("input", grow);
  area.addEventListener("keydown", (event) => {
    const isWhole = event.ctrlKey || event.metaKey || !area.value.includes("\n");
    if (event.key !== "Enter" || event.shiftKey || !isWhole) return;
    event.preventDefault();
    attempt(area.value);
  });
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const transfer = event.dataTransfer;
    if (transfer.files.length) await attempt(await transfer.files[0].text());
    else await attempt(transfer.getData("text/uri-list") || transfer.getData("text/plain"));
  });
}
