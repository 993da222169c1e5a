namespace Integration.Tests.Servers;

/// <summary>A server cannot run on this machine; the message gives the reason and a remedy.</summary>
internal sealed class ServerUnavailableException(string message) : Exception(message);
