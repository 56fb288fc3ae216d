/**
 * How much of a text has been passed on. Upstreams tell it in pieces, as a whole, or both, and some
 * of the pieces late: whatever comes, each character goes on once (T10).
 */
export interface Progress {
  sent: number
  received: number
}

/** Nothing yet. */
export function createProgress(): Progress {
  return { sent: 0, received: 0 }
}

/** What is new in the next piece: nothing, when the whole has already been told. */
export function newInPiece(progress: Progress, piece: string): string {
  progress.received += piece.length
  const extra = progress.received - progress.sent
  if (extra <= 0) return ''
  progress.sent = progress.received
  return extra >= piece.length ? piece : piece.slice(piece.length - extra)
}

/** What is new in the whole: what no piece has told. */
export function newInWhole(progress: Progress, whole: string): string {
  const rest = whole.slice(progress.sent)
  progress.sent += rest.length
  return rest
}
