const SENTENCES: Record<string, string> = {
  unknown: 'The cluster does not answer right now. Your server most likely keeps running.',
  missing: 'The cluster no longer has this server. Ask your provider what happened.',
  suspended: 'The server is suspended. Start it to go on where it stopped.',
  paused: 'The server is paused.',
}

/** What a state means, where its name is not enough. */
export const cardSentence = (status: string): string | undefined => SENTENCES[status]
