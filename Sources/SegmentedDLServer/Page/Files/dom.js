// Text enters the page as text only: file names are untrusted.
export const byId = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...children) {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) {
		if (key === "class") element.className = value;
		else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else if (value === true) element.setAttribute(key, "");
		else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
	}
	element.append(...children.filter((child) => child !== null));
	return element;
}

export function button(label, onclick, attributes = {}) {
	return make("button", { type: "button", onclick, ...attributes }, label);
}

export function setText(element, text) {
	if (element.textContent !== text) element.textContent = text;
}

/// A truncated text is complete in its title.
export function setLine(element, text) {
	setText(element, text);
	setAttribute(element, "title", text);
}

export function setAttribute(element, name, value) {
	if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/// Shows pairs of a name and a text in a list, without those that have no text.
export function setFacts(list, facts) {
	const shown = facts.filter(([, value]) => value);
	const key = JSON.stringify(shown);
	if (list.shown === key) return;
	list.shown = key;
	list.replaceChildren(...shown.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

let timer = 0;
let subject = "";

/// Shows a short success, or an error, which remains while it applies to its subject.
export function say(text, isGood = false, about = "") {
	const message = byId("message");
	subject = about;
	byId("message-text").textContent = text;
	message.classList.toggle("good", isGood);
	message.hidden = !text;
	clearTimeout(timer);
	if (isGood) timer = setTimeout(() => { message.hidden = true; }, 5000);
}

/// Removes an error that no longer applies.
export function forget(about = "") {
	if (subject === about && !byId("message").matches(".good")) say("");
}

/// Copies a text. Pages without TLS from another machine have no clipboard; there it is only selected.
export async function copy(text, element) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		getSelection().selectAllChildren(element);
		return false;
	}
}
