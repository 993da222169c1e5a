using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;

namespace Quayside.Messaging.Envelopes.Sns;

/// <summary>
/// Fetches certificates from SNS, and confirms subscriptions. It calls only addresses of SNS over TLS, follows no redirect, and reads a bounded answer within a
/// bounded time. Threads: any.
/// </summary>
internal sealed partial class SnsClient(HttpMessageHandler handler, TimeProvider time) : IDisposable
{
    // A certificate has 2 KiB, and so has the answer to a confirmation.
    private const int MaxAnswerBytes = 64 << 10;

    // Made-up messages must not make the worker open any number of connections.
    private const int MaxCalls = 4;

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(10);

    private readonly SemaphoreSlim _calls = new(MaxCalls);
    private readonly HttpClient _http = new(handler) { Timeout = System.Threading.Timeout.InfiniteTimeSpan, MaxResponseContentBufferSize = MaxAnswerBytes };

    /// <summary>The connections of the network: as for other calls to AWS, without a proxy of the environment.</summary>
    public static SocketsHttpHandler CreateHandler() => new()
    {
        AllowAutoRedirect = false,
        AutomaticDecompression = DecompressionMethods.None,
        UseCookies = false,
        UseProxy = false,
        ActivityHeadersPropagator = null,
        ConnectTimeout = TimeSpan.FromSeconds(5),
        PooledConnectionLifetime = TimeSpan.FromMinutes(5),
    };

    /// <summary>True for an address that only SNS can answer.</summary>
    public static bool IsOfSns(string? address, [NotNullWhen(true)] out Uri? url) =>
        Uri.TryCreate(address, UriKind.Absolute, out url)
            && url.Scheme == Uri.UriSchemeHttps
            && url.IsDefaultPort
            && url.UserInfo.Length == 0
            && SnsHost().IsMatch(url.Host);

    /// <param name="url">An address of SNS.</param>
    /// <param name="cancellationToken">Ends the call.</param>
    /// <returns>The answer's status and body; no status where there was no answer. The fault describes any status but 200.</returns>
    public async ValueTask<(HttpStatusCode? Status, byte[] Body, string Fault)> GetAsync(Uri url, CancellationToken cancellationToken)
    {
        using CancellationTokenSource limit = new(Timeout, time);
        using CancellationTokenSource call = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        bool isCalling = false;
        try
        {
            await _calls.WaitAsync(call.Token);
            isCalling = true;
            using HttpResponseMessage response = await _http.GetAsync(url, call.Token);
            return (
                response.StatusCode, await response.Content.ReadAsByteArrayAsync(call.Token),
                string.Create(CultureInfo.InvariantCulture, $"the answer has the status {(int)response.StatusCode}"));
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException
            || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            return (null, [], exception is OperationCanceledException ? $"no answer within {Timeout.TotalSeconds:0} s" : exception.Message.TrimEnd('.'));
        }
        finally
        {
            if (isCalling)
            {
                _calls.Release();
            }
        }
    }

    public void Dispose()
    {
        _http.Dispose();
        _calls.Dispose();
    }

    [GeneratedRegex("^sns\\.[a-z0-9-]+\\.amazonaws\\.com(\\.cn)?\\z", RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant)]
    private static partial Regex SnsHost();
}
