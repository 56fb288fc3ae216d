export { compareCodePoints } from '../lib/code-points.ts'
