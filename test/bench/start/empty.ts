/** The least that answers: what a start of the runtime alone takes. */
Bun.serve({
  port: Number(process.argv[2]),
  hostname: '127.0.0.1',
  fetch: () => new Response('ok'),
})
