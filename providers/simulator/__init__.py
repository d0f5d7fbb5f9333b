"""A stand-in provider: a real HTTP server on loopback whose streams misbehave on request.

    options       the model id, taken apart: `NAME:key=value,key=value`
    steps         what a provider can do, in no dialect's bytes
    scripts       name -> script; speech, calls and faults hold the scripts themselves
    prose         the words they say
    dialect       how a request becomes a `ChatRequest` and a step becomes bytes (`dialect_openai`, ...)
    replay        recorded bodies, sent as they are
    connections   the ledger: who was connected, how it ended, when that was noticed
    wire          one connection: HTTP parsing, writing, and noticing at once that the client left
    player        plays a script on a wire
    server        the listening socket, routing, and the command line; `control` answers /_simulator/

It is the upstream of the tests and of the demo. Everything above `wire` is pure.
"""
