using System.Net;
using Quayside.Messaging.Aws.S3;

namespace Messaging.Tests.Aws.S3;

public sealed class SdkHttpHandlerTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(301)]
    [InlineData(307)]
    [InlineData(308)]
    public async Task Send_Redirect_HasNoTargetLeft(int status)
    {
        // The SDK follows a 307 to any host that looks like S3's.
        using HttpResponseMessage answer = new((HttpStatusCode)status) { Headers = { Location = new Uri("https://other.s3.eu-west-1.amazonaws.com/k") } };

        using HttpResponseMessage response = await SendAsync(HttpMethod.Put, "https://archive.s3.amazonaws.com/k", answer);

        response.Headers.Location.ShouldBeNull();
        ((int)response.StatusCode).ShouldBe(status);
    }

    [Fact]
    public async Task Send_ExpectContinue_IsRemoved()
    {
        using HttpResponseMessage answer = new(HttpStatusCode.OK);
        using HttpRequestMessage request = new(HttpMethod.Put, "https://archive.s3.amazonaws.com/k");
        request.Headers.ExpectContinue = true;

        using HttpResponseMessage response = await SendAsync(request, answer);

        request.Headers.Contains("Expect").ShouldBeFalse();
    }

    [Theory]
    [InlineData("PUT", "https://s3/b/k", 200, true)]
    [InlineData("GET", "https://s3/b/k", 404, true)]
    [InlineData("GET", "https://s3/b?list-type=2", 200, true)]
    [InlineData("GET", "https://s3/b/k", 200, false)]
    [InlineData("GET", "https://s3/b/k?versionId=v1", 200, false)]
    [InlineData("GET", "https://s3/b?versionId=v1&list-type=2", 200, true)]
    [InlineData("HEAD", "https://s3/b/k", 200, false)]
    public async Task Send_AnswerThatTheSdkParses_IsReadFirst(string method, string uri, int status, bool read)
    {
        CountingStream body = new(1_000);
        using HttpResponseMessage answer = new((HttpStatusCode)status) { Content = new StreamContent(body) };

        using HttpResponseMessage response = await SendAsync(new HttpMethod(method), uri, answer);

        body.Position.ShouldBe(read ? 1_000 : 0);
    }

    [Fact]
    public async Task Send_AnswerWithoutEnd_IsCutOff()
    {
        CountingStream body = new(long.MaxValue);
        using HttpResponseMessage answer = new(HttpStatusCode.InternalServerError) { Content = new StreamContent(body) };

        await Should.ThrowAsync<HttpRequestException>(() => SendAsync(HttpMethod.Put, "https://s3/b/k", answer));

        body.Position.ShouldBeInRange(1, 1 << 20);
    }

    private static Task<HttpResponseMessage> SendAsync(HttpMethod method, string uri, HttpResponseMessage answer) =>
        SendAsync(new HttpRequestMessage(method, uri), answer);

    private static async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, HttpResponseMessage answer)
    {
        using HttpMessageInvoker invoker = new(new SdkHttpHandler(new Answering(answer)));
        return await invoker.SendAsync(request, Token);
    }

    private sealed class Answering(HttpResponseMessage answer) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) => Task.FromResult(answer);
    }

    /// <summary>A stream of zeros that counts the bytes read.</summary>
    private sealed class CountingStream(long length) : Stream
    {
        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position { get; set; }

        public override int Read(byte[] buffer, int offset, int count)
        {
            int read = (int)Math.Min(count, length - Position);
            buffer.AsSpan(offset, read).Clear();
            Position += read;
            return read;
        }

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
