import type { AnswerEvent, StartEvent } from './answer.ts'
import type { CanonicalError } from './error.ts'
import { createCounts, foldUsage, type UsageReports, withoutExtras } from './extras.ts'
import type { ServiceTier } from './request.ts'
import type { Usage } from './usage.ts'

/** Collects the events of one decoder, and what every decoder keeps of its answer. */
export class EventSink {
  isStarted = false
  /** The answer has ended, or failed: what follows is ignored. */
  isOver = false
  usage: Usage | undefined
  serviceTier: ServiceTier | undefined
  readonly #requestId: string
  readonly #reports: UsageReports
  readonly #counts = createCounts()
  #events: AnswerEvent[] = []
  #blocks = 0
  #calls = 0

  constructor(requestId: string, reports: UsageReports) {
    this.#requestId = requestId
    this.#reports = reports
  }

  push(event: AnswerEvent): void {
    this.#events.push(event)
  }

  take(): readonly AnswerEvent[] {
    const taken = this.#events
    this.#events = []
    return taken
  }

  /** Begins the answer, once. */
  start(head: Omit<StartEvent, 'type'>): void {
    if (!this.isStarted) this.push({ type: 'start', ...head })
    this.isStarted = true
  }

  /** Begins a block, and returns its id. */
  open(kind: 'text' | 'reasoning' | 'refusal', choice: number): string {
    const id = this.nextBlock()
    this.push({ type: `${kind}-start`, id, choice })
    return id
  }

  noteUsage(report: unknown): void {
    this.usage = withoutExtras(foldUsage(this.#reports, report, this.#counts)) ?? this.usage
  }

  /** Ends the answer, after its `finish` events. */
  end(): void {
    this.push({ type: 'end', usage: this.usage, serviceTier: this.serviceTier })
    this.isOver = true
  }

  fail(error: CanonicalError): void {
    if (!this.isOver) this.push({ type: 'error', error })
    this.isOver = true
  }

  nextBlock(): string {
    return `${this.#blocks++}`
  }

  nextCall(): string {
    return `call_${this.#requestId}_${this.#calls++}`
  }
}
