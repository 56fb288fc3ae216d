import { Client } from 'pg'
import { selectRows } from '../moving/texts.ts'
import type { MovedRow, MovePlace } from '../ports/copies.ts'
import { asLost, type Connection, connectionSettings } from './connections.ts'
import { explainFailure } from './failures.ts'
import { placeOf } from './place.ts'
import { toParameter } from './values.ts'

/** A table of very many rows takes long to count, and to clean. */
const answerTimeoutMs = 3_600_000

/** One connection that a move has for itself. */
export interface MoveConnection extends Connection {
  readonly place: string
  readonly identity: string
  /** Rows as arrays. Rejects with what a person can act on. */
  ask(text: string, values?: readonly unknown[]): Promise<readonly MovedRow[]>
  /** All that `work` does, or nothing of it. */
  transaction(work: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

const selectIdentity = `SELECT 'server ' || system_identifier || ' ' || oid
FROM pg_control_system(), pg_database WHERE datname = current_database()`

/** Connects to the database that a URL names. */
export async function connectMove(url: string): Promise<MoveConnection> {
  const place = placeOf(url)
  const client = new Client(connectionSettings({ url, answerTimeoutMs }, 'tollgate migrate'))
  // The statement that is under way fails, and tells it.
  client.on('error', () => {})
  const explaining = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      throw explainFailure(asLost(error), place)
    }
  }
  const ask = async (text: string, values: readonly unknown[] = []) => {
    const asked = { text, values: values.map(toParameter), rowMode: 'array' as const }
    const { rows } = await explaining(client.query<MovedRow[number][]>(asked))
    return rows
  }
  try {
    await explaining(client.connect())
    const [[identity] = []] = await ask(selectIdentity)
    return {
      place,
      identity: String(identity),
      ask,
      query: ({ text, values = [] }) => explaining(client.query({ text, values: [...values] })),
      async transaction(work) {
        await ask('BEGIN')
        try {
          await work()
          await ask('COMMIT')
        } catch (error) {
          // With a lost connection it is taken back by itself.
          await ask('ROLLBACK').catch(() => undefined)
          throw error
        }
      },
      close: () => client.end(),
    }
  } catch (error) {
    client.end().catch(() => undefined)
    throw error
  }
}

const selectColumns = `SELECT column_name::text COLLATE "C" FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name = $1 ORDER BY 1`

/** Reads what is moved. */
export function createMoveReader({ ask }: MoveConnection): Pick<MovePlace, 'columns' | 'rows'> {
  return {
    async columns({ name, without = [] }) {
      const found = await ask(selectColumns, [name])
      return found.map(([column]) => String(column)).filter((column) => !without.includes(column))
    },
    rows: ({ table, columns, after, limit }) =>
      ask(
        selectRows(table, columns, after === undefined, (number) => `$${number}`),
        [...(after ?? []), limit],
      ),
  }
}

/** Names of the nodes that serve from the database at this moment. */
export async function liveNodes({ ask }: MoveConnection, silentMs: number): Promise<string[]> {
  const text = 'SELECT name FROM node WHERE seen_at > now_ms() - $1 ORDER BY id'
  return (await ask(text, [silentMs])).map(([name]) => String(name))
}
