// Requests: to the server, or to the answers inside an exported page.

const TIMEOUT = 20000;
let answers = null; // of an exported page
let known = null; // the words of an exported page
let version = null;
let own = null; // the message for a change that this page has made
let changed = () => {};

export class Problem extends Error {
  constructor(error, hint, status) {
    super(error);
    this.hint = hint;
    this.status = status;
  }
}

export function isExported() {
  return document.getElementById("answers") !== null;
}

// The callback is called when an answer comes from another version of the model.
export function onChange(callback) {
  changed = callback;
}

// Sets the message for the next change, which this page has made.
export function expectChange(text) {
  own = text;
}

export function ownChange() {
  const text = own;
  own = null;
  return text;
}

export function setVersion(value) {
  version = value;
}

async function unpack() {
  const text = document.getElementById("answers").textContent;
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function kept(name, asked) {
  const what = ["word", "path", "tag", "decode"].find((kind) => asked[kind] !== undefined); // the key of an answer
  const key = what === undefined ? name : `${name}?${what}=${asked[what]}`;
  if (!Object.hasOwn(answers, key)) {
    const known = answers.words.words.length.toLocaleString("en-US");
    throw new Problem("This is not in the exported file.", `The file contains the ${known} most frequent words. For more, start the server: firth explore MODEL`, 404);
  }
  return answers[key];
}

// Whether a word can be looked up.
export function knows(word) {
  if (answers === null) return true;
  known ??= new Set(answers.words.words);
  return known.has(word);
}

// A text as it is compared: without case and accents.
export function fold(text) {
  return text.normalize("NFKD").toLowerCase().replace(/\p{Mn}/gu, "").replaceAll("ς", "σ");
}

// The words of an exported page that begin with a text, or contain it.
function completed(asked) {
  const wanted = fold(asked.q.trim());
  const { words, counts } = answers.words;
  answers.folded ??= words.map(fold);
  const found = [];
  for (const fits of [(w) => w.startsWith(wanted), (w) => w.includes(wanted)]) {
    for (let i = 0; i < words.length && found.length < asked.n; i++) {
      if (wanted && fits(answers.folded[i]) && !found.some((f) => f.text === words[i])) {
        found.push({ kind: "word", text: words[i], count: counts[i], label: "" });
      }
    }
  }
  return found;
}

export async function ask(name, asked = {}, signal = undefined) {
  if (isExported()) {
    answers ??= await unpack();
    return name === "complete" ? completed(asked) : kept(name, asked);
  }
  const late = AbortSignal.timeout(TIMEOUT);
  return read(await got(`api/${name}?${new URLSearchParams(asked)}`, { signal: signal ? AbortSignal.any([signal, late]) : late }));
}

async function got(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (options.signal?.reason?.name === "AbortError") throw error; // the request was aborted
    throw new Problem("The server does not respond.", "Is it still running? Start it: firth explore MODEL", 0);
  }
}

async function read(response) {
  const told = response.headers.get("x-firth-model");
  if (version !== null && told !== null && told !== version) {
    changed();
    return new Promise(() => {}); // never show an answer from another version: the view is loaded again
  }
  let answer;
  try {
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The response is incomplete.", "Try again.", response.status);
  }
  if (!response.ok) throw new Problem(answer.error ?? "The request failed.", answer.hint, response.status);
  return answer;
}

export async function send(name, content, token) {
  return read(await got(`api/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json", "x-firth-token": token },
    body: JSON.stringify(content),
  }));
}
