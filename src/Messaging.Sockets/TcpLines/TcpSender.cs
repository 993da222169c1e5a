using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Sends messages as lines to the endpoint of <c>Sources:TcpLines</c>. With acknowledgements it waits for each and reports missing ones. Without them it
/// knows only that the connection accepted the bytes.
/// </summary>
internal sealed class TcpSender : IMessageSender
{
    // Longer than a message may take in the worker (Intake:MessageTimeout).
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromMinutes(3);

    private const string Unanswered = "not acknowledged: ";

    private readonly Stream _stream;
    private readonly StreamReader? _answers;
    private readonly Framing _framing;
    private long _lines;

    private TcpSender(Stream stream, Framing framing, bool acknowledged, string target)
    {
        _stream = stream;
        _framing = framing;
        _answers = acknowledged ? new StreamReader(stream, Encoding.ASCII) : null;
        Target = target;
    }

    public string Target { get; }

    public string Accepted => _answers is null ? "sent as lines (acknowledgements are off) to" : "stored by";

    public int Concurrency => 1;

    // More than a route's default concurrency, so that the route is never idle.
    public int BatchSize => 256;

    // Set when the connection has ended; the remaining messages are not sent.
    public string? Problem { get; private set; }

    /// <exception cref="StartupException">Nothing listens there, or the certificate is not the worker's.</exception>
    public static async Task<IMessageSender> OpenAsync(TcpLinesSourceOptions options, CancellationToken cancellationToken)
    {
        const string Key = $"{TcpLinesSourceOptions.Section}:{nameof(TcpLinesSourceOptions.Endpoint)}";
        options.TryParseEndpoint(out IPEndPoint? endpoint);
        IPEndPoint target = SendingEndpoint.Of(endpoint!, Key);
        Socket socket = new(target.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(target, cancellationToken);
            Stream stream = new NetworkStream(socket, ownsSocket: true);
            return new TcpSender(options.Certificate is { } certificate ? await SecureAsync(stream, certificate, cancellationToken) : stream, options.Framing, options.Acknowledge, target.ToString());
        }
        catch (Exception exception) when (exception is SocketException or IOException or AuthenticationException)
        {
            socket.Dispose();
            throw new StartupException($"{target}: {exception.Message.TrimEnd('.')}. Start a worker with a route whose source is TcpLines, or give its endpoint with --{Key}=address:port.", ExitCodes.Unavailable, exception);
        }
    }

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        // A line without an answer may be stored; sent again, it yields the same object.
        string?[] errors = new string?[messages.Count];
        Array.Fill(errors, Unanswered + Problem);
        try
        {
            if (Problem is null)
            {
                await ExchangeAsync(messages, errors, cancellationToken);
            }
        }
        catch (Exception exception) when (exception is IOException or SocketException or TimeoutException)
        {
            Problem = exception.Message;
            for (int i = 0; i < errors.Length; i++)
            {
                errors[i] = errors[i] == Unanswered ? Unanswered + Problem : errors[i];
            }
        }

        return errors;
    }

    public void Dispose()
    {
        _answers?.Dispose();
        _stream.Dispose();
    }

    private async Task ExchangeAsync(IReadOnlyList<OutgoingMessage> messages, string?[] errors, CancellationToken cancellationToken)
    {
        using MemoryStream lines = new();
        foreach (OutgoingMessage message in messages)
        {
            Frame(lines, message.Body.Span);
        }

        long first = _lines + 1;
        _lines += messages.Count;
        await _stream.WriteAsync(lines.GetBuffer().AsMemory(0, (int)lines.Length), cancellationToken);
        await _stream.FlushAsync(cancellationToken);
        if (_answers is null)
        {
            Array.Clear(errors);
            return;
        }

        for (int left = messages.Count; left > 0; left--)
        {
            string answer = await _answers.ReadLineAsync(cancellationToken).AsTask().WaitAsync(AnswerLimit, cancellationToken)
                ?? throw new IOException("the worker closed the connection.");
            (long line, string? error) = Parse(answer);
            if (line < first || line > _lines)
            {
                throw new IOException($"unexpected answer from the worker: {UntrustedText.Shorten(answer)}");
            }

            errors[line - first] = error;
        }
    }

    private void Frame(MemoryStream lines, ReadOnlySpan<byte> body)
    {
        if (_framing == Framing.OctetCounting)
        {
            lines.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{body.Length} ")));
        }

        lines.Write(body);
        lines.Write(_framing switch
        {
            Framing.Lf => "\n"u8,
            Framing.CrLf => "\r\n"u8,
            _ => default,
        });
    }

    /// <returns>The line, 0 for none, and its error; null for ok.</returns>
    private static (long Line, string? Error) Parse(string answer) => answer.Split(' ', 3) switch
    {
        ["ok", string line] when long.TryParse(line, NumberStyles.None, CultureInfo.InvariantCulture, out long number) => (number, null),
        ["error", string line, string reason] when long.TryParse(line, NumberStyles.None, CultureInfo.InvariantCulture, out long number) => (number, UntrustedText.Shorten(reason)),
        _ => (0, answer),
    };

    private static async Task<Stream> SecureAsync(Stream stream, string certificateFile, CancellationToken cancellationToken)
    {
        // Exactly the worker's certificate, regardless of its issuer.
        using X509Certificate2 expected = X509Certificate2.CreateFromPem(await File.ReadAllTextAsync(certificateFile, cancellationToken));
        byte[] raw = expected.RawData;
        SslStream secure = new(stream, leaveInnerStreamOpen: false, (_, certificate, _, _) => certificate is not null && raw.AsSpan().SequenceEqual(certificate.GetRawCertData()));
        await secure.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = expected.GetNameInfo(X509NameType.DnsName, forIssuer: false) }, cancellationToken);
        return secure;
    }
}
