/** What a demo is made of. */
export interface DemoParts {
  readonly port: number
  readonly upstreamUrl: string
  readonly tokenKey: string
  /** Of the administrator, for the console. */
  readonly password: string
}

/** The demo's administrator of the console. */
export const demoAdmin = 'admin@example.com'

/** The demo's account: owner of its token and of 10 USD. */
export const demoAccount = 'demo@example.com'

/** The demo's tollgate.yaml, beside its database: every other command works on it too. */
export function createDemoConfig({ port, upstreamUrl, tokenKey, password }: DemoParts): string {
  // Every JSON document is a YAML document.
  return JSON.stringify(
    {
      server: { listen: `127.0.0.1:${port}`, shutdown_grace: '5s' },
      store: 'sqlite:./demo.db',
      site: { name: 'Tollgate demo' },
      channels: [
        {
          name: 'built-in',
          speaks: {
            chat: `${upstreamUrl}/v1`,
            responses: `${upstreamUrl}/v1`,
            messages: upstreamUrl,
            gemini: upstreamUrl,
          },
          api_key: 'any-key-will-do',
          models: ['demo', 'demo-embedding', 'demo-painter'],
          allow_private: true,
        },
      ],
      groups: [{ name: 'demo', rate_multiplier: 0.8, channels: ['built-in'] }],
      prices: {
        demo: { input: 0.25, output: 2, cache_read: 0.025, cache_write: 0.3125 },
        'demo-embedding': { input: 0.02, output: 0 },
        'demo-painter': { per_call: 0.04 },
      },
      accounts: [
        {
          email: demoAccount,
          balance: 10,
          tokens: [{ name: 'demo', key: tokenKey, group: 'demo' }],
        },
        { email: demoAdmin, role: 'admin', password },
      ],
    },
    null,
    2,
  )
}
