import { pixel } from '../sdk-support.ts'
import type {
  Asked,
  AskedPiece,
  CallPiece,
  Cast,
  Finish,
  Piece,
  Play,
  Reply,
} from './conversation.ts'
import { need } from './wire.ts'

const text = (words: string): Piece => ({ type: 'text', text: words })
const call = (id: string, city: string): CallPiece => ({
  type: 'call',
  id,
  name: 'get_weather',
  input: { city },
})
const bothCalls = [call('call_paris', 'Paris'), call('call_oslo', 'Oslo')]
const answer = (pieces: readonly Piece[], finish: Finish = 'stop'): Play => ({
  kind: 'answer',
  pieces,
  finish,
})

/** Text that breaks where bytes are taken for characters. */
export const plainText = 'Grüße, 世界 🌍! "42"\n\\u0000 is no end.'
/** What the plays say, for tests to compare. */
export const toolsText = 'Paris has 10 degrees and Oslo has 11.'
export const halfText = 'Half an answer'
export const brokenWords = 'Overloaded in the middle of it.'
export const longWords = 'The prompt is too long: 250000 tokens, and 200000 are the most.'

/** What the model answers, turn by turn, where it reasons. */
function reasoned(cast: Cast): readonly Reply[] {
  const think = (number: number, words: string): Piece => ({
    type: 'reasoning',
    text: words,
    signature: cast.sign(number),
  })
  return [
    {
      pieces: [think(1, 'Two places:\nlook both up.'), ...cast.withheld, ...bothCalls],
      finish: 'calls',
    },
    { pieces: [think(2, 'Both are known now.'), text(toolsText)], finish: 'stop' },
    { pieces: [think(3, 'Eleven is more than ten.'), text('Oslo.')], finish: 'stop' },
  ]
}

const results = (asked: Asked) =>
  (asked.turns.findLast(({ role }) => role === 'user')?.pieces ?? []).flatMap((piece) =>
    piece.type === 'result' ? [`${piece.callId}: ${piece.text}`] : [],
  )

function needResults(asked: Asked): void {
  const wanted = 'call_paris: 10 degrees, call_oslo: 11 degrees'
  need(results(asked).join(', ') === wanted, `the results are ${results(asked).join(', ')}`)
}

/** Every answer must be back as the vendor wants it, signatures byte by byte. */
function needReplay(asked: Asked, replies: readonly Reply[], cast: Cast): number {
  const back = asked.turns.filter(({ role }) => role === 'assistant')
  for (const [index, { pieces }] of back.entries()) {
    const wanted = JSON.stringify(sorted(cast.wanted(replies[index]?.pieces ?? [])))
    const came = JSON.stringify(sorted(pieces))
    need(came === wanted, `answer ${index + 1} has come back as ${came}, it was ${wanted}`)
  }
  return back.length
}

/** Reasoning first: its place among texts is free, that among calls is checked by the readers. */
const sorted = (pieces: readonly AskedPiece[]) => [
  ...pieces.filter(({ type }) => type === 'reasoning'),
  ...pieces.filter(({ type }) => type !== 'reasoning'),
]

const signatureOf = (piece: AskedPiece) =>
  piece.type === 'reasoning' ? piece.signature : undefined

type Script = (asked: Asked, cast: Cast) => Play | undefined

const plays: Readonly<Record<string, Script>> = {
  plain: () => answer([text(plainText)]),
  tools(asked, cast) {
    const said = [text('Let me look.'), ...bothCalls]
    const replies: readonly Reply[] = [
      { pieces: said, finish: 'calls' },
      { pieces: [text(toolsText)], finish: 'stop' },
    ]
    const step = needReplay(asked, replies, cast)
    if (step > 0) needResults(asked)
    return { kind: 'answer', ...(replies[step] ?? { pieces: [], finish: 'stop' }) }
  },
  reasoning(asked, cast) {
    const replies = reasoned(cast)
    const step = needReplay(asked, replies, cast)
    if (step === 1) needResults(asked)
    return { kind: 'answer', ...(replies[step] ?? { pieces: [], finish: 'stop' }) }
  },
  // Begun here, gone on with elsewhere, and back again.
  moved(asked, cast) {
    const replies = reasoned(cast)
    const [first, second] = asked.turns.filter(({ role }) => role === 'assistant')
    if (second !== undefined) needReplay({ ...asked, turns: first ? [first] : [] }, replies, cast)
    const foreign = (second ?? first)?.pieces.find((piece) => piece.type === 'reasoning')
    need(!foreign || signatureOf(foreign) === undefined, 'reasoning of another vendor')
    if (first !== undefined && second === undefined) needResults(asked)
    const step = second ? 2 : first ? 1 : 0
    return { kind: 'answer', ...(replies[step] ?? { pieces: [], finish: 'stop' }) }
  },
  schema(asked) {
    need(asked.schema !== undefined, 'no schema has arrived')
    return answer([text('{"city":"Paris"}')])
  },
  image(asked) {
    const images = asked.turns.flatMap(({ pieces }) =>
      pieces.filter((piece) => piece.type === 'image'),
    )
    const [image] = images
    need(images.length === 1 && image !== undefined, `${images.length} images have arrived`)
    if (image.data !== undefined) need(image.data === pixel, 'the image has other bytes')
    return answer([text(image.url ?? 'the pixel')])
  },
  picture(asked) {
    const calls = asked.turns.some(({ role }) => role === 'assistant')
    if (!calls) return answer([call('call_paris', 'Paris')], 'calls')
    const image = asked.turns.at(-1)?.pieces.find((piece) => piece.type === 'image')
    need(image?.data === pixel, 'the image of the result has not arrived')
    return answer([text('the pixel')])
  },
  stop: () => answer([text('One, two')], 'stop-sequence'),
  past: () => answer([text('One, twoEND and three')]),
  length: () => answer([text('So far and no')], 'length'),
  refusal: (_, { refusal }) => ({ kind: 'answer', ...refusal }),
  long: () => ({ kind: 'fault', status: 400, message: longWords }),
  limited: () => ({ kind: 'fault', status: 429, message: 'Slow down, account 4711.' }),
  failing: () => ({ kind: 'fault', status: 500, message: 'Disk of host 10.1.2.3 is full.' }),
  breaks: () => ({
    kind: 'breaks',
    pieces: [text(halfText)],
    finish: 'stop',
    message: brokenWords,
  }),
  slow: () => ({ kind: 'slow', pieces: [text('and on '.repeat(100))], finish: 'stop' }),
}

/** The play that a request asks for by its first words, `play NAME: …`. */
export function findPlay(asked: Asked, cast: Cast): Play {
  const first = asked.turns[0]?.pieces.find((piece) => piece.type === 'text')
  const name = /^play (\w+):/.exec(first?.type === 'text' ? first.text : '')?.[1] ?? ''
  const play = plays[name]?.(asked, cast)
  need(play !== undefined, `the script has no play "${name}"`)
  return play
}
