import { switchField } from './kinds.ts'
import { limitsPart } from './limits.ts'

/** What a channel has in common with other resources; its other fields stand in the file's schema. */
export const channelFields = {
  allow_private: switchField({
    ...{ as: 'allowPrivate', column: 'allow_private' },
    help: 'true for an upstream on this machine or a private network.',
  }),
  limits: limitsPart('Limits of the channel: at them, other channels are asked.'),
}
