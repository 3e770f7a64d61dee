// Where the token, the keys and the policy are typed in.

import { element, paragraph, prose } from "../dom.ts";
import { sentenceOf } from "./failure.ts";
import { labelled, liveRegion } from "./page.ts";
import type { Session } from "./session.ts";

export function sessionFields(session: Session, changed: () => void): HTMLElement {
  const token = element("input", "");
  token.type = "password";
  const keys = element("textarea", "");
  const policy = element("textarea", "");
  for (const field of [token, keys, policy]) {
    field.autocomplete = "off";
    field.spellcheck = false;
    field.setAttribute("autocapitalize", "none");
  }
  keys.rows = policy.rows = 2;
  const said = liveRegion();
  const use = element("button", "", "Use these");
  use.type = "submit";
  const form = element(
    "form",
    "session",
    labelled("token", "Token", token, "Sent to this server in a header, and nowhere else."),
    labelled("keys", "Public keys of the log, from elsewhere", keys, "One per line, as in journal.pub of the log's data folder. Without them, the keys that this server serves are used, and every check says so."),
    labelled("policy", "Policy of witnesses", policy, "A C2SP tlog-policy. Without, signatures of witnesses are listed and not checked."),
    use,
    said,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      session.set({ token: token.value.trim(), keys: keys.value.trim(), policy: policy.value.trim() === "" ? "" : policy.value });
      said.replaceChildren("In use. They are kept in the memory of this page, and gone when it is closed or loaded again.");
      changed();
    } catch (error) {
      said.replaceChildren(prose(sentenceOf(error)));
    }
  });
  return element(
    "details",
    "session-fold",
    element("summary", "", "Token and keys"),
    paragraph("fine", "What you type here stays in the memory of this page: in no storage, no cookie and no address."),
    form,
  );
}
