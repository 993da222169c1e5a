using System.Net;
using System.Net.Sockets;

namespace Benchmarks.Aws.Put;

/// <summary>
/// A server of PUTs over raw sockets, as cheap as possible: client and server share the machine's cores, so the client cannot use what
/// the server takes. It stores nothing and verifies no signature.
/// </summary>
internal sealed class PutServer : IDisposable
{
    private readonly Action<string, byte[]>? _stored;
    private readonly string _status;
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    /// <param name="stored">Called with the path and the bytes of each object; null when they are measured.</param>
    /// <param name="status">Of the answers.</param>
    public PutServer(Action<string, byte[]>? stored = null, string status = "200 OK")
    {
        _stored = stored;
        _status = status;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        Start(Accept);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    public void Dispose() => _listener.Dispose();

    private static void Start(Action run) => new Thread(() => RunUntilOneLeaves(run)) { IsBackground = true }.Start();

    private static void RunUntilOneLeaves(Action run)
    {
        try
        {
            run();
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // One of the two sides has disconnected.
        }
    }

    private void Accept()
    {
        while (true)
        {
            Socket socket = _listener.Accept();
            Start(() =>
            {
                using Socket owned = socket;
                new PutConnection(owned, _stored, _status).Serve();
            });
        }
    }
}
