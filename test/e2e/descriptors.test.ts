import { describe, expect, test } from 'bun:test'
import { requireBinary, startBinary } from '../support/binary.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { dialects } from './dialects.ts'
import { until } from './until.ts'

// There are no more files, or connections, to be had: `ulimit -n`.

const limitedTo = (limit: number) => ['sh', '-c', `ulimit -n ${limit} && exec "$0" "$@"`]

test.each([
  [8, ['serve']],
  [32, ['demo']],
  [32, ['status']],
])(
  'with %d of them a command says what it has and needs, and how to get it',
  async (limit, args) => {
    using folder = createTempDir()
    const child = Bun.spawn([...limitedTo(limit), requireBinary(), ...args], {
      cwd: folder.path,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect([await child.exited, out]).toEqual([1, ''])
    expect(err).toStartWith('tollgate: This process may open ')
    expect(err).toContain(
      'needs at least 64, and two for each request under way. So raise the limit:',
    )
    expect(err).toContain('ulimit -n 65536')
  },
)

/** A connection that is there before the others come, and is used again and again. */
async function connectEarly(port: number) {
  let text = ''
  const socket = await Bun.connect({
    ...{ hostname: '127.0.0.1', port },
    socket: {
      data(_, bytes) {
        text += bytes.toString('latin1')
      },
    },
  })
  return async (path: string, body: object) => {
    text = ''
    const content = JSON.stringify(body)
    const head = `POST ${path} HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${testKey}\r\n`
    const bytes = Buffer.from(`${head}content-length: ${content.length}\r\n\r\n${content}`)
    for (let sent = 0; sent < bytes.length; ) {
      sent += socket.write(bytes, sent)
      await Bun.sleep(1)
    }
    await until('an answer', () => /\r\n\r\n./s.test(text))
    return text
  }
}

describe.skipIf(process.platform !== 'linux')('while it runs', () => {
  test('that all are in use ends nothing, cools no channel, is told, and passes', async () => {
    await using upstream = startFakeUpstream(() =>
      jsonAnswer(dialects.chat.body({ input: 10, output: 20 })),
    )
    await using gateway = await startBinary({
      args: ['serve', '--log', 'json'],
      config: (listen) => tollgateYaml({ listen, upstream: upstream.url, speaks: ['chat'] }),
      through: limitedTo(128),
    })
    const told = (text: string) => gateway.stdout.filter((line) => line.includes(text))
    expect(told('At most 128 files can be open')).toHaveLength(1)
    // Whoever is refused for this has its connection closed.
    const [askEarly, askLarge] = [
      await connectEarly(gateway.port),
      await connectEarly(gateway.port),
    ]
    for (const one of [askEarly, askLarge])
      expect(await one('/nothing', {})).toStartWith('HTTP/1.1 404')
    const others = await Promise.all(
      Array.from({ length: 200 }, () =>
        Bun.connect({
          ...{ hostname: '127.0.0.1', port: gateway.port },
          // Connections that say nothing are taken when they do.
          socket: { open: (socket) => void socket.write('POST / HTTP/1.1\r\n'), data() {} },
        }),
      ),
    )
    await until('it to be told', () => told('no file descriptors are left').length > 0)

    const answer = await askEarly(dialects.chat.path(false), dialects.chat.request(false))
    expect(answer).toStartWith('HTTP/1.1 429')
    expect(answer).toContain('x-tollgate-reason: overloaded')
    expect(answer).toMatch(/The gateway has no connection left|as many connections open as it may/)
    // Work on a large request is for a thread, which takes some to begin.
    const large = dialects.messages.request(false, 'x'.repeat(1_500_000))
    expect(await askLarge(dialects.messages.path(false), large)).toStartWith('HTTP/1.1 429')

    for (const socket of others) socket.terminate()
    await until('it to pass', () => told('there are file descriptors again').length > 0)
    // How many connections are open is looked at once a second.
    const isAnswered = async () => {
      const question = 'x'.repeat(1_500_000)
      const { status } = await ask(gateway.url, dialects.messages, false, { question })
      return status === 200
    }
    await until('requests to be answered', isAnswered)
    expect(told('channel cools')).toEqual([])
    expect(told('no file descriptors are left')).toHaveLength(1)
  })
})
