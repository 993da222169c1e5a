namespace Messaging.CloudFront.Objects;

/// <summary>Keeps the clients of all routes, so that the container disposes them. Threads: any.</summary>
internal sealed class LogObjectClients : IDisposable
{
    private readonly Lock _lock = new();
    private readonly List<ILogObjects> _clients = [];

    /// <summary>Keeps a client until this instance is disposed.</summary>
    public ILogObjects Add(ILogObjects client)
    {
        lock (_lock)
        {
            _clients.Add(client);
        }

        return client;
    }

    public void Dispose()
    {
        lock (_lock)
        {
            foreach (ILogObjects client in _clients)
            {
                client.Dispose();
            }

            _clients.Clear();
        }
    }
}
