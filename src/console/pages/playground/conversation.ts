import { useEffect, useRef, useState } from 'react'
import type { AskedImage, AskedTurn } from '../../../look/question.ts'
import { type Exchange, follow, type Question } from './exchange.ts'

/** One question, and what each of the models that were asked said to it. */
export interface Turn {
  readonly id: number
  readonly user: string
  readonly images: readonly AskedImage[]
  /** In the order of the models. */
  readonly answers: readonly Exchange[]
}

/** All of a question but what was said before, and the model. */
export type Settings = Omit<Question, 'model' | 'user' | 'images' | 'earlier'> & {
  /** One, or two side by side. */
  readonly models: readonly string[]
}

/**
 * What one of the models is told of the earlier turns: what it said itself, or the first one where it
 * was not asked yet. A turn without an answer is left out.
 */
export const earlierOf = (turns: readonly Turn[], lane: number): readonly AskedTurn[] =>
  turns.flatMap(({ user, images, answers }) => {
    const assistant = (answers[lane] ?? answers[0])?.text ?? ''
    return assistant === '' ? [] : [{ user, images, assistant }]
  })

/** A conversation with one or two models. Leaving the page stops it, as `stop` does. */
export function useConversation() {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const running = useRef<AbortController>(null)
  const lastId = useRef(0)
  const stop = () => running.current?.abort()
  useEffect(() => () => running.current?.abort(), [])

  async function ask(settings: Settings, user: string, images: readonly AskedImage[]) {
    stop()
    const controller = new AbortController()
    running.current = controller
    const id = ++lastId.current
    setTurns([...turns, { id, user, images, answers: [] }])
    const show = (lane: number, now: Exchange) =>
      setTurns((all) =>
        all.map((turn) =>
          turn.id === id ? { ...turn, answers: put(turn.answers, lane, now) } : turn,
        ),
      )
    const { models, ...rest } = settings
    const lanes = models.map(async (model, lane) => {
      const question = { ...rest, model, user, images, earlier: earlierOf(turns, lane) }
      for await (const now of follow(question, controller.signal)) show(lane, now)
    })
    await Promise.all(lanes)
  }

  return {
    turns,
    isAsking: turns.at(-1)?.answers.some(({ phase }) => phase === 'asking') ?? false,
    ask,
    stop,
    /** Takes all of it away; returns what brings it back. */
    clear() {
      stop()
      setTurns([])
      return () => setTurns(turns)
    },
    /** Takes a question back, with all that came after it. */
    takeBack(id: number) {
      stop()
      setTurns(turns.filter((turn) => turn.id < id))
    },
  }
}

const put = (answers: readonly Exchange[], lane: number, now: Exchange): readonly Exchange[] => {
  const next = [...answers]
  next[lane] = now
  return next
}
