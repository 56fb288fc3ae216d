/** Resolves that long after now, whenever it is waited for. */
export function lasting(ms: number): () => Promise<void> {
  const endTick = performance.now() + ms
  return () => Bun.sleep(Math.max(0, endTick - performance.now()))
}

const away = [
  ...['can not be reached', 'is being stopped or started', 'is locked by another process'],
  ...['has no room for another connection', 'takes no writing', 'took too long to answer'],
  ...[
    'the disk is full',
    'the database does not answer',
    'was lost during a change',
    'the stop',
    'stopped, but',
    'could not be stored in the database',
  ],
]

/** What clients may be told, and nodes may say, while their database is away. */
export const databaseAway = {
  part: 'database',
  allows: ['refusals', 'cut'],
  logs: new RegExp(away.join('|')),
} as const

/** The same of a node whose process ends. */
export const nodeAway = { part: 'node', allows: ['refusals', 'cut'], stops: true } as const
