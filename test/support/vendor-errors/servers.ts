import { openAi, rowsOf } from './shapes.ts'

/** FastAPI's. */
const detail = (told: unknown) => ({ detail: told })

/** Servers of open models. */
export const serverErrors = rowsOf('chat', [
  [
    'vLLM: unknown model',
    404,
    {
      object: 'error',
      message: 'The model `test-model` does not exist.',
      type: 'NotFoundError',
      param: null,
      code: 404,
    },
    'model_unavailable',
  ],
  ['vLLM: unknown path', 404, detail('Not Found'), 'model_unavailable'],
  ['vLLM: unknown method', 405, detail('Method Not Allowed'), 'model_unavailable'],
  [
    'vLLM: bad field',
    400,
    {
      object: 'error',
      message: '[{"type": "missing", "loc": ["body", "model"], "msg": "Field required"}]',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    undefined,
  ],
  [
    'Ollama: unknown model',
    404,
    { error: 'model "test-model" not found, try pulling it first' },
    'model_unavailable',
  ],
  [
    'Ollama: busy',
    503,
    { error: 'server busy, please try again.  maximum pending requests exceeded' },
    'upstream_overloaded',
  ],
  [
    'llama.cpp: loading',
    503,
    openAi('Loading model', 'unavailable_error', 503),
    'upstream_overloaded',
  ],
  [
    'llama.cpp: too long',
    400,
    openAi('the request exceeds the available context size', 'exceed_context_size_error', 400),
    undefined,
  ],
  [
    'TGI: overloaded',
    429,
    { error: 'Model is overloaded', error_type: 'overloaded' },
    'upstream_overloaded',
  ],
  [
    'TGI: generation',
    424,
    { error: 'Request failed during generation', error_type: 'generation' },
    'upstream_failed',
  ],
  [
    'Hugging Face: loading',
    503,
    { error: 'Model acme/test-model is currently loading', estimated_time: 20 },
    'upstream_overloaded',
  ],
])
