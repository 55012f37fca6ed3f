"""Playing from the command line: a game of Tsuro here, a strategy in a game elsewhere, a tournament on a server.

These commands are clients. They use the rules and the client kit, and nothing of the services' insides.
"""
