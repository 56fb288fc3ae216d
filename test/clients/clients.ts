import type { ProtocolName } from '../../src/protocols/protocol.ts'

/** A library that asks models, and the program in `programs/` that uses it. */
export interface Client {
  readonly name: string
  readonly speaks: readonly ProtocolName[]
  readonly program: string
  /** What is asked for its version. */
  readonly packages: readonly string[]
  /** A folder of its own for a version that can't lie beside the others (Python). */
  readonly home?: string
}

/** All that are in a registry; what they are installed from is in `packages`. */
export const clients: readonly Client[] = [
  {
    name: 'openai-js',
    speaks: ['chat', 'responses'],
    program: 'openai-sdk.mjs',
    packages: ['openai'],
  },
  {
    name: 'openai-python',
    speaks: ['chat', 'responses'],
    program: 'openai_sdk.py',
    packages: ['openai'],
  },
  {
    name: 'openai-go',
    speaks: ['chat', 'responses'],
    program: 'openai_sdk.go',
    packages: ['github.com/openai/openai-go/v3'],
  },
  {
    name: 'openai-java',
    speaks: ['chat', 'responses'],
    program: 'OpenaiSdk.java',
    packages: ['openai-java'],
  },
  {
    name: 'anthropic-js',
    speaks: ['messages'],
    program: 'anthropic-sdk.mjs',
    packages: ['@anthropic-ai/sdk'],
  },
  {
    name: 'anthropic-python',
    speaks: ['messages'],
    program: 'anthropic_sdk.py',
    packages: ['anthropic'],
  },
  {
    name: 'anthropic-go',
    speaks: ['messages'],
    program: 'anthropic_sdk.go',
    packages: ['github.com/anthropics/anthropic-sdk-go'],
  },
  {
    name: 'anthropic-java',
    speaks: ['messages'],
    program: 'AnthropicSdk.java',
    packages: ['anthropic-java'],
  },
  {
    name: 'genai-js',
    speaks: ['gemini'],
    program: 'google-genai.mjs',
    packages: ['@google/genai'],
  },
  {
    name: 'genai-python-1.10',
    speaks: ['gemini'],
    program: 'google_genai.py',
    packages: ['google-genai'],
    home: 'python-1.10',
  },
  {
    name: 'genai-python-1.45',
    speaks: ['gemini'],
    program: 'google_genai.py',
    packages: ['google-genai'],
    home: 'python-1.45',
  },
  {
    name: 'genai-python',
    speaks: ['gemini'],
    program: 'google_genai.py',
    packages: ['google-genai'],
  },
  {
    name: 'genai-go',
    speaks: ['gemini'],
    program: 'google_genai.go',
    packages: ['google.golang.org/genai'],
  },
  {
    name: 'genai-java',
    speaks: ['gemini'],
    program: 'GoogleGenai.java',
    packages: ['google-genai'],
  },
  {
    name: 'generative-ai',
    speaks: ['gemini'],
    program: 'generative-ai.mjs',
    packages: ['@google/generative-ai'],
  },
  {
    name: 'ai-sdk',
    speaks: ['chat', 'responses', 'messages', 'gemini'],
    program: 'ai-sdk.mjs',
    packages: ['ai', '@ai-sdk/openai', '@ai-sdk/anthropic', '@ai-sdk/google'],
  },
  {
    name: 'langchain-js',
    speaks: ['chat', 'responses', 'messages', 'gemini'],
    program: 'langchain.mjs',
    packages: ['@langchain/openai', '@langchain/anthropic', '@langchain/google-genai'],
  },
  {
    name: 'langchain-python',
    speaks: ['chat', 'responses', 'messages', 'gemini'],
    program: 'langchain_models.py',
    packages: ['langchain-openai', 'langchain-anthropic', 'langchain-google-genai'],
  },
]

/** What people point at gateways, and neither npm, PyPI, Go's proxy nor Maven Central has. */
export const absent = [
  'Cursor',
  'Roo Code',
  'Kimi CLI for Python (the package says that it has ended)',
] as const

/** The versions of the clients, in the words of each registry: those of November 2026, and two older. */
export const packages = {
  npm: [
    'openai@7.57.0',
    '@anthropic-ai/sdk@1.14.0',
    '@google/genai@3.3.0',
    '@google/generative-ai@0.24.1',
    'ai@7.0.173',
    '@ai-sdk/openai@4.0.118',
    '@ai-sdk/anthropic@4.0.105',
    '@ai-sdk/google@4.0.121',
    '@langchain/core@1.4.0',
    '@langchain/openai@1.6.0',
    '@langchain/anthropic@1.5.11',
    '@langchain/google-genai@2.3.2',
  ],
  /** Python's, by the folder of each environment. */
  pip: {
    python: [
      'openai==3.57.0',
      'anthropic==2.14.0',
      'google-genai==3.6.1',
      'langchain-openai==1.7.4',
      'langchain-anthropic==1.7.10',
      'langchain-google-genai==4.4.3',
    ],
    'python-1.10': ['google-genai==1.10.0'],
    'python-1.45': ['google-genai==1.45.0'],
  },
  go: [
    'github.com/openai/openai-go/v3@v3.96.0',
    'github.com/anthropics/anthropic-sdk-go@v1.84.0',
    'google.golang.org/genai@v1.77.0',
  ],
  maven: [
    'com.openai:openai-java:4.101.0',
    'com.anthropic:anthropic-java:3.14.0',
    'com.google.genai:google-genai:2.0.0',
  ],
} as const
