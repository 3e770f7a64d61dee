// The one thing that outlives a visit: the text of the newest signed state that this browser saw.

const NAME = "svc-console-checkpoint";

/** What a checkpoint may have with the lines of a hundred witnesses. */
const MOST_CHARACTERS = 65_536;

/** The text that was kept; nothing where storage is switched off. */
export function lastSeen(): string | undefined {
  try {
    const text = localStorage.getItem(NAME);
    return text === null || text.length > MOST_CHARACTERS ? undefined : text;
  } catch {
    return undefined;
  }
}

export function remember(note: string): void {
  try {
    localStorage.setItem(NAME, note);
  } catch {
    // Without storage every visit is the first one, and the page says so.
  }
}

export function forget(): void {
  try {
    localStorage.removeItem(NAME);
  } catch {
    // Nothing was kept.
  }
}
