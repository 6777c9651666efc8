// Requests: to the server, or to the answers inside an exported page.

const TIMEOUT = 20000;
const TOKEN = "firth-token";
const TABS_TIMEOUT = 300;
const PAUSES = { first: 150, growth: 1.5 }; // between two requests for an answer that is not ready; the server says the longest
let answers = null; // of an exported page
let known = null; // the words of an exported page
let version = null;
let token = null; // what the server wants to see in each request, if anything
let sharing = null; // with other tabs
let own = null; // the message for a change that this page has made
let changed = () => {};

export class Problem extends Error {
  constructor(error, hint, status, place, of) {
    super(error);
    this.hint = hint;
    this.status = status;
    this.place = place; // the character where a query is wrong
    this.of = of; // which of the typed texts that is
  }
}

export function isExported() {
  return document.getElementById("answers") !== null;
}

// Sets the token, keeps it as long as the tab is open, and gives it to other tabs of this server that ask for it.
export function useToken(value) {
  token = value;
  try { sessionStorage.setItem(TOKEN, value); } catch { /* then it is asked for again */ }
  sharing ??= new BroadcastChannel(TOKEN);
  sharing.onmessage = ({ data }) => { if (data.wanted) sharing.postMessage({ token }); };
}

// Takes the token from the address, in which nobody should see it, or uses the one of this tab.
export function takeToken() {
  const given = new URLSearchParams(location.search).get("token");
  if (given) history.replaceState(history.state, "", location.pathname + location.hash);
  let found = given;
  try { found ||= sessionStorage.getItem(TOKEN); } catch { /* then there is none */ }
  if (found) useToken(found);
}

// Asks other tabs for the token; resolves to whether there was another one than this tab has.
export function askTabs() {
  const asking = new BroadcastChannel(TOKEN);
  return new Promise((done) => {
    asking.onmessage = ({ data }) => { if (data.token && data.token !== token) { useToken(data.token); done(true); } };
    asking.postMessage({ wanted: true });
    setTimeout(() => done(false), TABS_TIMEOUT);
  }).finally(() => asking.close());
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
  const what = ["word", "path", "part", "paradigm", "tag", "decode", "kind"].find((kind) => asked[kind] !== undefined); // the key of an answer
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

// The answer to a request. If it takes a while, tell is called with its progress, and it is asked for again and again.
export async function ask(name, asked = {}, signal = undefined, tell = () => {}) {
  if (isExported()) {
    answers ??= await unpack();
    return name === "complete" ? completed(asked) : kept(name, asked);
  }
  for (let pause = PAUSES.first; ; pause *= PAUSES.growth) {
    const late = AbortSignal.timeout(TIMEOUT);
    const response = await got(`api/${name}?${new URLSearchParams(asked)}`, { signal: signal ? AbortSignal.any([signal, late]) : late });
    const answer = await read(response);
    if (response.status !== 202) return answer;
    tell(answer);
    pause = Math.min(pause, 1000 * Number(response.headers.get("retry-after") ?? 1));
    await new Promise((done) => { setTimeout(done, pause); });
    signal?.throwIfAborted();
  }
}

async function got(url, options) {
  try {
    return await fetch(url, { ...options, headers: { ...options.headers, ...(token ? { "x-firth-token": token } : {}) } });
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
  if (!response.ok) throw new Problem(answer.error ?? "The request failed.", answer.hint, response.status, answer.place, answer.of);
  return answer;
}

export async function send(name, content) {
  return read(await got(`api/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(content),
  }));
}

// Sends a piece of a file.
export async function sendPiece(name, asked, piece) {
  return read(await got(`api/${name}?${new URLSearchParams(asked)}`, { method: "PUT", body: piece }));
}
