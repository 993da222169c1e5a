namespace Integration.Tests.Servers;

/// <summary>A server cannot run on this machine; the message says why and what would help.</summary>
internal sealed class ServerUnavailableException(string message) : Exception(message);
