"""The only sockets: one polite client with a guard, a pace for each host, a recorder and a memory.

May import `reading` and lower rooms. Whatever a server does is an Answer, never an exception.
"""
