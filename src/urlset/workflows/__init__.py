"""What each command does, one verb per file: the only place where the parts meet.

May import every room but `cli`. A workflow takes typed options, yields values and prints nothing.
"""
