import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../src/gateway/errors.ts'
import type { StreamTranslator } from '../../src/gateway/translate/translation.ts'
import { allDialects } from '../e2e/dialects.ts'
import { createScene, tokens } from './relay-scene.ts'

/** Writes a word for each frame; `ends` and `writes` say what it leaves out. */
function translatorThat({ ends = true, writes = true } = {}) {
  const called: string[] = []
  let isOver = false
  const translator: StreamTranslator = {
    push(frame) {
      called.push('push')
      if (ends && /DONE|completed|message_stop/.test(frame.data)) isOver = true
      return writes ? 'word ' : ''
    },
    end() {
      called.push('end')
      isOver ||= ends
      return ''
    },
    fail({ message }) {
      called.push('fail')
      isOver = true
      return `failed: ${message}`
    },
    isAtStop: () => false,
    endAtStop: () => '',
    isOver: () => isOver,
  }
  return { translator, called }
}

describe.each(allDialects)('an upstream that speaks $name', (dialect) => {
  test('whose end the client was told ends as it should', async () => {
    const { translator, called } = translatorThat()
    using scene = await createScene({ dialect, translator })
    scene.send(dialect.piece('Hello') + dialect.last(tokens))
    scene.end()
    expect(await scene.readAll()).not.toContain('failed')
    expect(called.filter((name) => name === 'fail')).toEqual([])
    expect(scene.ends).toMatchObject([{ end: { ending: 'complete' } }])
  })

  test('whose end got lost on the way is told as a break, not as silence', async () => {
    const { translator } = translatorThat({ ends: false })
    using scene = await createScene({ dialect, translator })
    scene.send(dialect.piece('Hello') + dialect.last(tokens))
    scene.end()
    expect(await scene.readAll()).toEndWith(
      'failed: The upstream broke off in the middle of its answer.',
    )
    expect(scene.ends.length).toBe(1)
  })

  test('whose end is translated, and can not be settled, does not end well', async () => {
    const { translator } = translatorThat()
    const internal = new GatewayError('internal', 'The gateway could not store this request.')
    // As encoders do: after the end that they have written there is nothing more to say.
    const fail = () => ''
    using scene = await createScene({
      ...{ dialect, translator: { ...translator, fail } },
      settle: () => Promise.reject(internal),
    })
    scene.send(dialect.piece('Hello') + dialect.last(tokens))
    scene.end()
    const text = await scene.readAll()
    expect(dialect.isError(text)).toBeTrue()
    expect(text).toContain('could not store')
  })

  test('that is given up in the middle is let go, and cut where the client was told', async () => {
    const { translator, called } = translatorThat()
    using scene = await createScene({ dialect, translator })
    await scene.read()
    translator.fail({ status: 502, code: 'x', message: 'x', param: undefined, requestId: 'x' })
    scene.send(dialect.piece('Hello'))
    scene.send(dialect.last(tokens))
    await scene.readAll()
    expect(scene.isClosed()).toBeTrue()
    expect(called.filter((name) => name === 'push').length).toBeLessThan(4)
    expect(scene.ends).toMatchObject([{ end: { ending: 'cut', cause: 'upstream_error' } }])
  })

  test('whose frames say nothing in the other protocol sends no empty pieces', async () => {
    const { translator } = translatorThat({ writes: false })
    using scene = await createScene({ dialect, translator })
    scene.send(dialect.piece('Hello'))
    scene.send(dialect.last(tokens))
    scene.end()
    expect(await scene.readAll()).toBe('')
    expect(scene.events).toEqual(['settled', 'end'])
  })

  test('whose client has left is read on without being translated', async () => {
    const { translator, called } = translatorThat()
    using scene = await createScene({ dialect, translator, onDisconnect: 'drain' })
    scene.send(dialect.piece('Hello'))
    await scene.read()
    const before = called.length
    scene.interrupt('client_left')
    const left = scene.stream.return(undefined)
    scene.send(dialect.piece(' there') + dialect.piece('!'))
    scene.send(dialect.last(tokens))
    scene.end()
    await left
    expect(called.slice(before).filter((name) => name === 'push')).toEqual([])
    expect(scene.ends).toMatchObject([{ end: { ending: 'client_left', isLost: false } }])
  })
})
