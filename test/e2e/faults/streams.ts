import type { FaultRequest } from '../../support/fault/requests.ts'
import {
  chunk,
  httpBytes,
  httpHead,
  lastChunk,
  type Steps,
  wait,
  write,
} from '../../support/fault/steps.ts'
import { dialectOf, failedBody, usualTokens, words } from '../../support/fault/well.ts'
import { type Dialect, wholeStream } from '../dialects.ts'
import { errorEvents } from '../stream-breaks.ts'
import { broken, type Ends, type Fault, fails, failsInside, tells, well } from './fault.ts'
import { untilAllHeard, untilHeard } from './pieces.ts'

const message = 'The vendor has no machines left.'
const nothingUsed = { input: 0, output: 0 }

type Text = (dialect: Dialect) => string
/** The beginning of an answer, without any of its words. */
const announced: Text = (dialect) => dialect.first(nothingUsed)
const someWords: Text = (dialect) => dialect.first(usualTokens) + dialect.piece(words[0])
const error: Text = ({ name }) => errorEvents[name](message)

/** A stream of some text that ends regularly. */
const streamOf =
  (text: Text) =>
  (request: FaultRequest): Steps => [
    write(
      httpBytes({
        ...{ type: 'text/event-stream', framing: 'chunked' },
        body: text(dialectOf(request)),
      }),
    ),
  ]
/** The same text in chunks that come one after the other. */
const inPieces =
  (...texts: readonly Text[]) =>
  (request: FaultRequest): Steps => [
    write(httpHead({ type: 'text/event-stream', framing: 'chunked' })),
    ...texts.flatMap((text) => [write(chunk(text(dialectOf(request)))), wait(10)]),
    write(lastChunk),
  ]

/** A stream only: whole answers have no such thing. */
const streamed = (ends: Ends, script: (request: FaultRequest) => Steps): Fault => ({
  ...{ script, whole: null, streamed: ends },
})
const openings = failsInside('upstream_failed')
const comment = () => ': still there\n\n'

/** Errors inside of answers with status 200, and streams that do not end as they should. */
export const insideFaults: Readonly<Record<string, Fault>> = {
  'error-in-the-body': {
    script: (request) => [
      write(httpBytes({ body: JSON.stringify(failedBody[dialectOf(request).name](message)) })),
    ],
    whole: openings,
    streamed: null,
  },
  'error-in-place-of-a-stream': {
    script: (request) => [
      write(httpBytes({ body: JSON.stringify(failedBody[dialectOf(request).name](message)) })),
    ],
    whole: null,
    streamed: fails('upstream_failed'),
  },
  'error-at-once': streamed(openings, streamOf(error)),
  'error-behind-comments': streamed(
    openings,
    streamOf((dialect) => comment() + comment() + error(dialect)),
  ),
  'error-behind-its-announcement': streamed(
    openings,
    streamOf((dialect) => announced(dialect) + error(dialect)),
  ),
  'error-a-little-later': streamed(openings, inPieces(announced, error)),
  'error-behind-words': streamed(
    tells('upstream_failed'),
    streamOf((dialect) => someWords(dialect) + error(dialect)),
  ),
  'error-and-a-reset': {
    ...streamed(tells('upstream_failed'), (request) => [
      write(httpHead({ type: 'text/event-stream', framing: 'chunked' })),
      write(chunk(someWords(dialectOf(request)))),
      untilHeard(request),
      write(chunk(error(dialectOf(request)))),
      untilAllHeard(request),
      { do: 'reset' },
    ]),
    lastWords: message,
  },
  'words-and-an-end': streamed(broken, streamOf(someWords)),
  'half-an-event-and-an-end': streamed(
    broken,
    streamOf((dialect) => someWords(dialect) + dialect.piece(words[1]).slice(0, -12)),
  ),
  'empty-stream': streamed(
    fails('upstream_invalid'),
    streamOf(() => ''),
  ),
  'announcement-and-an-end': streamed(
    { kind: 'ends-early', as: 'upstream_failed' },
    streamOf(announced),
  ),
  'comments-and-an-end': streamed(
    { kind: 'ends-early', as: 'upstream_failed' },
    inPieces(comment, comment),
  ),
  'comments-between': streamed(
    well,
    inPieces(
      comment,
      (dialect) => dialect.first(usualTokens) + comment() + dialect.piece(words[0]) + comment(),
      (dialect) => words.slice(1).map(dialect.piece).join('') + dialect.last(usualTokens),
    ),
  ),
  'unknown-events': streamed(
    well,
    streamOf(
      (dialect) =>
        dialect.first(usualTokens) +
        'event: brand.new\ndata: {"type":"brand.new","n":1}\n\n' +
        words.map(dialect.piece).join('') +
        dialect.last(usualTokens),
    ),
  ),
  'kept-open-behind-the-end': streamed(well, (request) => [
    write(httpHead({ type: 'text/event-stream', framing: 'chunked' })),
    write(chunk(wholeStream(dialectOf(request), usualTokens, words))),
    { do: 'stall' },
  ]),
  'reset-behind-the-end': {
    ...streamed(well, (request) => [
      write(httpHead({ type: 'text/event-stream', framing: 'chunked' })),
      write(chunk(wholeStream(dialectOf(request), usualTokens, words))),
      untilAllHeard(request),
      { do: 'reset' },
    ]),
    lastWords: words[2],
  },
  // What follows the last words passes, and counts for nothing.
  'garbage-behind-the-last-event': {
    ...streamed({ kind: 'well', isFollowed: true }, (request) => [
      write(httpHead({ type: 'text/event-stream', framing: 'chunked' })),
      write(chunk(wholeStream(dialectOf(request), usualTokens, words))),
      wait(30),
      write(chunk('data: {"no": json\n\n\u0000\n\nand so on')),
      write(lastChunk),
    ]),
  },
  'declared-as-json': streamed(well, (request) => [
    write(
      httpBytes({
        framing: 'chunked',
        body: wholeStream(dialectOf(request), usualTokens, words),
      }),
    ),
  ]),
  'not-declared': {
    script: (request) => [
      write(
        httpBytes({
          type: null,
          body: request.isStreamed
            ? wholeStream(dialectOf(request), usualTokens, words)
            : JSON.stringify(dialectOf(request).body(usualTokens)),
        }),
      ),
    ],
    ...{ whole: well, streamed: well },
  },
}
