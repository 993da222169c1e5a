using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Http.Web;

/// <summary>Checks before the start whether the web server's port is free, and which program uses it if not.</summary>
internal static class PortCheck
{
    // A worker on a busy machine may need seconds for its first answer.
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(10);

    /// <exception cref="StartupException">The port is in use.</exception>
    public static async Task EnsureFreeAsync(WebOptions options, CancellationToken cancellationToken)
    {
        if (options.Url.Port != 0 && IsTaken(new IPEndPoint(options.Address, options.Url.Port)))
        {
            throw Taken(options, await DescribeAsync(options, cancellationToken));
        }
    }

    /// <summary>The error for the operator.</summary>
    /// <param name="options">The web server's settings.</param>
    /// <param name="who">Who answers there, as a sentence.</param>
    public static StartupException Taken(WebOptions options, string who)
    {
        Uri url = options.Url;
        string other = $"http://{url.Host}:{(url.Port < IPEndPoint.MaxPort ? url.Port + 1 : 8_080)}";
        return new StartupException(
            $"Hosting:Url http://{url.Authority}: address already in use. {who} Stop it, or give this worker an address of its own: "
                + $"--Hosting:Url={other} (port 0 picks a free one).");
    }

    private static bool IsTaken(IPEndPoint endpoint)
    {
        using Socket probe = new(endpoint.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            probe.Bind(endpoint);
            return false;
        }
        catch (SocketException exception)
        {
            // Kestrel reports every other error, such as a foreign address or a missing permission.
            return exception.SocketErrorCode == SocketError.AddressAlreadyInUse;
        }
    }

    private static async Task<string> DescribeAsync(WebOptions options, CancellationToken cancellationToken)
    {
        IPAddress address = options.Address switch
        {
            var any when any.Equals(IPAddress.Any) => IPAddress.Loopback,
            var any when any.Equals(IPAddress.IPv6Any) => IPAddress.IPv6Loopback,
            var own => own,
        };
        using HttpClient client =
            new(new SocketsHttpHandler { UseProxy = false, AllowAutoRedirect = false }) { Timeout = AnswerLimit, MaxResponseContentBufferSize = 1 << 20 };
        try
        {
            using HttpResponseMessage response =
                await client.GetAsync(new Uri($"http://{new IPEndPoint(address, options.Url.Port)}/healthz/live"), cancellationToken);
            using JsonDocument page = JsonDocument.Parse(await response.Content.ReadAsStringAsync(cancellationToken));
            string routes = string.Join(", ", page.RootElement.GetProperty("routes").EnumerateArray().Select(route => route.GetProperty("route").GetString()));
            return $"A worker answers there: process {page.RootElement.GetProperty("process").GetInt32()}, routes {routes}.";
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return $"The program that listens there did not answer within {AnswerLimit.TotalSeconds:0} s.";
        }
        catch (Exception exception) when (exception is HttpRequestException or JsonException or KeyNotFoundException or InvalidOperationException
            or FormatException)
        {
            return "Another program listens there.";
        }
    }
}
