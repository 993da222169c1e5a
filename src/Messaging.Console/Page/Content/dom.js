// Builds and updates elements. Text from the worker is only set as text.

export const byId = id => document.getElementById(id);

/** Makes an element; `text` is its text, functions are listeners, everything else an attribute. */
export const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

function fill(element, attributes = {}, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'text') element.textContent = value;
    else setAttribute(element, name, value);
  }
  element.append(...children);
  return element;
}

/** Sets the text only if it differs, to keep selections and screen readers undisturbed. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Null and false remove the attribute. */
export function setAttribute(element, name, value) {
  if (value === null || value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

export const setTone = (element, tone) => setAttribute(element, 'data-tone', tone);
export const write = (id, text) => setText(byId(id), text);
export const lines = (...texts) => texts.filter(Boolean).join('\n');

/** Updates the children of a parent from a list. An element with the same key stays and keeps its focus, even where it moves. */
export function sync(parent, items, keyOf, create, update) {
  const focused = document.activeElement;
  const old = new Map([...parent.children].map(child => [child.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const child = old.get(key) ?? Object.assign(create(item), { key });
    old.delete(key);
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
    update(child, item);
  }
  for (const child of old.values()) child.remove();

  // Moving an element takes its focus away.
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}

/** Updates the rows of a table from a list of [name, value, …]. */
export function syncRows(table, rows) {
  const body = table.tBodies[0] ?? table.createTBody();
  sync(body, rows.filter(Boolean), ([name]) => name,
    ([name, ...values]) => make('tr', { 'data-row': name }, make('th', { scope: 'row', text: name }), ...values.map(() => make('td'))),
    (row, values) => values.forEach((text, i) => i > 0 && setText(row.cells[i], text)));
}
