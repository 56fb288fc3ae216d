import { allDialects, type Dialect } from '../../e2e/dialects.ts'

// What the upstreams say. It is the same for every request.

/** So many events with text are in a stream; a few more begin and end it. */
export const eventsPerStream = 200

const tokens = { input: 12, output: 5 }

function dialectOf(name: Dialect['name']): Dialect {
  const dialect = allDialects.find((one) => one.name === name)
  if (!dialect) throw new Error(`no dialect ${name}`)
  return dialect
}

const chat = dialectOf('chat')
const messages = dialectOf('messages')

export const chatAnswer = JSON.stringify(chat.body(tokens))
export const messagesAnswer = JSON.stringify(messages.body(tokens))

/** The events of a stream, one text each, by the path that asks for them. */
export const streamsByPath: Readonly<Record<string, readonly string[]>> = {
  [chat.path(true)]: eventsOf(chat),
  [messages.path(true)]: eventsOf(messages),
}

function eventsOf(dialect: Dialect): string[] {
  const used = { ...tokens, output: eventsPerStream }
  const pieces = Array.from({ length: eventsPerStream }, (_, at) => dialect.piece(`word ${at} `))
  return [dialect.first(used), ...pieces, dialect.last(used)]
}

/** Whether a stream that a chat client got has all of it. */
export const isWholeStream = (text: string) =>
  chat.isWhole(text) && text.includes(`word ${eventsPerStream - 1} `)
