import { people, startConsoleScene } from '../../support/console-scene.ts'
import type { TollgateYamlOptions } from '../../support/tollgate-yaml.ts'

/** The key of `other@example.com`, of group `second`, which has `other-model` alone. */
export const otherKey = 'sk-other-0123456789abcdefghijklmnop'

/** A console scene with two people who make requests. */
export const startRequestScene = (yaml: Partial<TollgateYamlOptions> = {}) =>
  startConsoleScene({
    moreGroups: [{ name: 'second', channels: ['main'], models: ['other-model'] }],
    moreAccounts: [
      { email: people.admin, role: 'admin', balance: 10 },
      {
        email: people.other,
        balance: 10,
        tokens: [{ name: 'of other', key: otherKey, group: 'second' }],
      },
    ],
    ...yaml,
  })
