import { connect } from 'node:net'

/** More connections than a system lets wait (512). */
const queueLength = 600

/** A server that is stopped and whose queue of waiting connections is full. */
export async function fullServer() {
  const code = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1' },
    function () { console.log(this.address().port) })`
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(value))
  child.kill('SIGSTOP')
  const waiting = Array.from({ length: queueLength }, () => connect({ host: '127.0.0.1', port }))
  for (const socket of waiting) socket.on('error', () => {})
  return {
    url: new URL(`http://127.0.0.1:${port}/v1`),
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
