using System.Collections.Concurrent;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Direct;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Aws.S3.Direct;

/// <summary>Over https with the bucket in the hostname, as for AWS.</summary>
public sealed class DirectTlsTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Put_Twice_GoesOverOneConnectionWhoseCertificateIsTheBuckets()
    {
        using X509Certificate2 certificate = CertificateFor("*.s3.eu-west-1.amazonaws.com");
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        Task<string[]> serving = ServeAsync(listener, certificate, requests: 2);
        using DirectRequests client = Open(listener, "archive", out ConcurrentQueue<SslPolicyErrors> errors);

        (await client.PutAsync("a/k"u8.ToArray(), new byte[3], null, Limit, Token)).ShouldBe(S3Fault.None);
        (await client.PutAsync("b/k"u8.ToArray(), new byte[3], null, Limit, Token)).ShouldBe(S3Fault.None);

        (await serving).ShouldBe(["archive.s3.eu-west-1.amazonaws.com", "PUT /a/k HTTP/1.1", "PUT /b/k HTTP/1.1"]);

        // Self-signed, with the right name.
        errors.ShouldBe([SslPolicyErrors.RemoteCertificateChainErrors]);
    }

    [Fact]
    public async Task Put_BucketWithADot_AsksForTheNameThatACertificateCanHave()
    {
        using X509Certificate2 certificate = CertificateFor("s3.eu-west-1.amazonaws.com");
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        Task<string[]> serving = ServeAsync(listener, certificate, requests: 1);
        using DirectRequests client = Open(listener, "my.archive", out ConcurrentQueue<SslPolicyErrors> errors);

        (await client.PutAsync("k"u8.ToArray(), new byte[3], null, Limit, Token)).ShouldBe(S3Fault.None);

        (await serving).ShouldBe(["s3.eu-west-1.amazonaws.com", "PUT /my.archive/k HTTP/1.1"]);
        errors.ShouldBe([SslPolicyErrors.RemoteCertificateChainErrors]);
    }

    [Fact]
    public async Task Put_UntrustedCertificate_IsAConnectionErrorAndNothingIsSent()
    {
        using X509Certificate2 certificate = CertificateFor("archive.s3.eu-west-1.amazonaws.com");
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        Task<string[]> serving = ServeAsync(listener, certificate, requests: 1);
        using DirectRequests client = Open(listener, "archive", out _, trust: false);

        (await client.PutAsync("k"u8.ToArray(), new byte[3], null, Limit, Token)).Code.ShouldBe("ConnectionError");

        (await serving).Skip(1).ShouldBeEmpty();
    }

    private static DirectRequests Open(TcpListener listener, string bucket, out ConcurrentQueue<SslPolicyErrors> errors, bool trust = true)
    {
        ConcurrentQueue<SslPolicyErrors> seen = [];
        SocketsHttpHandler handler = AwsHttpHandler.Create(1);

        // The handshake counts towards the connect timeout, and on a busy machine it may exceed the production value.
        handler.ConnectTimeout = Limit;
        handler.ConnectCallback = async (_, token) =>
        {
            Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(listener.LocalEndpoint, token);
            return new NetworkStream(socket, ownsSocket: true);
        };
        if (trust)
        {
            handler.SslOptions.RemoteCertificateValidationCallback = (_, _, _, found) =>
            {
                seen.Enqueue(found);
                return true;
            };
        }

        errors = seen;
        BucketAddress address = BucketAddress.Create(bucket, new S3Endpoint(null, "eu-west-1", PathStyle: false));
        S3SinkOptions options = new() { Client = S3ClientKind.Auto, Bucket = bucket };
        return new DirectRequests(options, address, "eu-west-1", DirectSinks.Credentials(), handler, DirectSinks.Services(), BufferPool.Shared, retained: 1);
    }

    /// <summary>Serves one connection.</summary>
    /// <returns>The requested server name and the request lines.</returns>
    private static async Task<string[]> ServeAsync(TcpListener listener, X509Certificate2 certificate, int requests)
    {
        List<string> seen = [];
        using TcpClient connection = await listener.AcceptTcpClientAsync(Token);
        await using SslStream stream = new(connection.GetStream());
        byte[] buffer = new byte[64 * 1024];
        try
        {
            await stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = certificate }, Token);
            seen.Add(stream.TargetHostName);
            int filled = 0;
            while (seen.Count <= requests && await stream.ReadAsync(buffer.AsMemory(filled), Token) is > 0 and int read)
            {
                filled += read;
                if (RawRequest.TryRead(buffer.AsSpan(0, filled), 1, out RawRequest? request, out _))
                {
                    filled = 0;
                    seen.Add(request.Line);
                    await stream.WriteAsync("HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: 0\r\n\r\n"u8.ToArray(), Token);
                }
            }
        }
        catch (IOException)
        {
            // The client refused the certificate.
        }

        return [.. seen];
    }

    internal static X509Certificate2 CertificateFor(string name)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new($"CN={name}", key, HashAlgorithmName.SHA256);
        SubjectAlternativeNameBuilder names = new();
        names.AddDnsName(name);
        request.CertificateExtensions.Add(names.Build());
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }
}
