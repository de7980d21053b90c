// Text enters the page as text only: names of files come from anywhere.
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

export function setAttribute(element, name, value) {
	if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

let timer = 0;

/// Says something to the person: an error, which stays, or a short success. An empty text takes it away.
export function say(text, isGood = false) {
	const message = byId("message");
	byId("message-text").textContent = text;
	message.classList.toggle("good", isGood);
	message.hidden = !text;
	clearTimeout(timer);
	if (isGood) timer = setTimeout(() => { message.hidden = true; }, 5000);
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
