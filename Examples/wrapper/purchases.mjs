// The host's side of a wrapper, which docs/react-native.md shows: it knows nothing of how messages travel.

// region host
/**
 * The purchases of an app.
 *
 * `call` passes a request to the native part and returns its answer; the native part's events go to `receive`. `answers`
 * decides what the kit asks: `disclosure(destination)`, `openURL(url)` and `sendToken(token)`, each of which may be missing.
 */
export class Purchases {
  #call;
  #answers;
  #listeners = [];
  #last = 0;

  constructor(call, answers = {}) {
    this.#call = call;
    this.#answers = answers;
  }

  /** The result of a method; an error of the bridge is thrown and has its `code` and `path`. */
  async request(method, parameters = {}) {
    const id = String(++this.#last);
    const answer = JSON.parse(await this.#call(JSON.stringify({ version: 1, id, method, parameters })));
    if (!answer.error) return answer.result;
    throw Object.assign(new Error(answer.error.message), { code: answer.error.code, path: answer.error.path });
  }

  /** Calls the listener with the name and the data of each event that is no question. */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** Takes an event of the native part. */
  async receive(text) {
    const { event, data } = JSON.parse(text);
    if (event !== "question") {
      for (const listener of this.#listeners) listener(event, data);
      return;
    }
    const { question } = data;
    if (data.kind === "disclosure") {
      const isContinued = (await this.#ask("disclosure", data.destination)) === true;
      await this.request("answerDisclosure", { question, isContinued });
    } else if (data.kind === "openURL") {
      const isOpened = (await this.#ask("openURL", data.url)) === true;
      await this.request("answerOpenURL", { question, isOpened });
    } else if (data.kind === "sendToken") {
      // Without a clear answer of the server the token is sent again.
      const delivery = (await this.#ask("sendToken", data.token)) ?? { delivery: "retry" };
      await this.request("answerSendToken", { question, ...delivery });
    }
  }

  async #ask(kind, about) {
    try {
      return await this.#answers[kind]?.(about);
    } catch {
      return undefined;
    }
  }
}
// endregion
